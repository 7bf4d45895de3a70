// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

// GPUExtent3D and GPUOrigin3D, sequences or dictionaries, as dictionaries (#validate-gpuextent3d-shape and its kind).
function extent3D(globalObject, extent) {
  if (!Array.isArray(extent)) return extent;
  if (extent.length < 1 || extent.length > 3) {
    throw new globalObject.TypeError(`a GPUExtent3D has 1 to 3 elements and not ${extent.length}`);
  }
  const [width, height = 1, depthOrArrayLayers = 1] = extent;
  return { width, height, depthOrArrayLayers };
}

function origin3D(globalObject, origin = {}) {
  if (!Array.isArray(origin)) return origin;
  if (origin.length > 3) {
    throw new globalObject.TypeError(`a GPUOrigin3D has at most 3 elements and not ${origin.length}`);
  }
  const [x = 0, y = 0, z = 0] = origin;
  return { x, y, z };
}

// GPUTexelCopyTextureInfo with its origin as a dictionary.
function texelCopyTexture(globalObject, info) {
  return { ...info, origin: origin3D(globalObject, info.origin) };
}

// GPUColor, a sequence or a dictionary, as a dictionary (#validate-gpucolor-shape).
function color(globalObject, value) {
  if (!Array.isArray(value)) return value;
  if (value.length !== 4) throw new globalObject.TypeError(`a GPUColor has 4 elements and not ${value.length}`);
  const [r, g, b, a] = value;
  return { r, g, b, a };
}

module.exports = { color, extent3D, texelCopyTexture };
