// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The compute programs of the examples give what JavaScript gives.
import assert from "node:assert";
import { test } from "node:test";

import { countInJavaScript, countRatings } from "../../../examples/node/rating_histogram.mjs";
import { rankInJavaScript, rankPrices } from "../../../examples/node/price_rank.mjs";
import { makeDevice } from "./support.mjs";

test("the histogram of 65,536 ratings", async () => {
  const counts = await countRatings(await makeDevice());
  assert.deepStrictEqual(counts.slice(0, 5), countInJavaScript(65536));
  assert.strictEqual(counts[5], 1421);
});

for (const [name, price] of [
  ["all different", item => (item * 7919) % 16384],
  ["many equal", item => item % 10],
  ["random", () => Math.fround(5 + 55 * Math.random())],
]) {
  test(`the rank of 16,384 prices, ${name}`, async () => {
    const prices = Float32Array.from({ length: 16384 }, (_, item) => price(item));
    assert.deepStrictEqual(await rankPrices(await makeDevice(), prices), rankInJavaScript(prices));
  });
}
