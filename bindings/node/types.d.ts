// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
/// <reference types="@webgpu/types" />

/** What a watched dispatch or render pass did wrong. */
export interface Finding {
  /** What it is: two accesses that nothing orders, or one outside of its variable. */
  kind: "race" | "out-of-bounds";
  /** The kind and the label of the pipeline. */
  pipelineKind: "compute pipeline" | "render pipeline";
  pipeline: string;
  /** In the words of `lockstep race`, with places in the shader. */
  message: string;
}

export interface CreateOptions {
  /** With the option `race`: called for each finding. */
  onFinding?: (finding: Finding) => void;
}

/** Makes a GPU. Options: `race` watches every dispatch and render pass; `timeout=SECONDS` bounds each of them (30; 0: no bound). */
export function create(options?: string[], callbacks?: CreateOptions): GPU;

/** WebGPU's interfaces and constants, by name. */
export const globals: Record<string, any>;
