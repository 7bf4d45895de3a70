// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
"use strict";

const native = require("../lib/native.js");
const { makeError } = require("../lib/errors.js");
const { EventHandler } = require("../lib/events.js");
const { notYet } = require("../lib/not_yet.js");
const { ObjectBase, make, wrapperOf } = require("../lib/object.js");
const { extent3D } = require("../lib/geometry.js");
const { requireFormats } = require("../lib/formats.js");
const GPUBuffer = require("../dist/interfaces/GPUBuffer.js");
const GPUSampler = require("../dist/interfaces/GPUSampler.js");
const GPUTexture = require("../dist/interfaces/GPUTexture.js");
const GPUTextureView = require("../dist/interfaces/GPUTextureView.js");

// The addon calls back for as long as its device lives; what it calls must not keep the device alive.
function listen(device) {
  const weak = new WeakRef(device);
  native.onLost(device.native, (reason, message) => weak.deref()?.lose(reason, message));
  native.onUncapturedError(device.native, error => weak.deref()?.dispatchError(error));
}

exports.implementation = class GPUDeviceImpl extends ObjectBase {
  constructor(globalObject, args, data) {
    super(globalObject, args, data);
    this.errorHandler = new EventHandler("uncapturederror");
    this.lost = new globalObject.Promise(resolve => {
      this.resolveLost = resolve;
    });
    this.queue = make("GPUQueue", globalObject, { native: this.queueNative, _label: this.queueLabel, device: this });
    listen(this);
  }

  lose(reason, message) {
    if (reason !== "destroyed") this.reportLost?.(`The WebGPU device '${this.label}' is lost: ${message}`);
    this.resolveLost(wrapperOf(make("GPUDeviceLostInfo", this.globalObject, { reason, message })));
  }
  dispatchError(error) {
    const event = new this.globalObject.GPUUncapturedErrorEvent("uncapturederror", {
      error: makeError(this.globalObject, error),
      cancelable: true,
    });
    if (wrapperOf(this).dispatchEvent(event)) {
      this.reportUncaptured(`Uncaptured WebGPU error of device '${this.label}' (${error.kind}): ${error.message}`);
    }
  }
  get onuncapturederror() {
    return this.errorHandler.handler;
  }
  set onuncapturederror(handler) {
    this.errorHandler.set(wrapperOf(this), handler);
  }

  destroy() {
    native.destroyDevice(this.native);
  }

  create(name, handle, descriptor, data) {
    return make(name, this.globalObject, { native: handle, _label: descriptor.label, device: this, ...data });
  }
  createBuffer(descriptor) {
    const { label, size, usage, mappedAtCreation } = descriptor;
    const { RangeError } = this.globalObject;
    if (mappedAtCreation && size % 4 !== 0) {
      throw new RangeError(`createBuffer: buffer '${label}' is mapped at creation and its ${size} bytes are not a multiple of 4`);
    }
    const handle = native.createBuffer(this.native, descriptor);
    if (handle === undefined) {
      throw new RangeError(
        `createBuffer: ${size} bytes of buffer '${label}' cannot be mapped at creation: there is not so much memory`,
      );
    }
    return this.create("GPUBuffer", handle, descriptor, { size, usage });
  }
  createTexture(descriptor) {
    requireFormats(this, [descriptor.format, ...descriptor.viewFormats]);
    const size = extent3D(this.globalObject, descriptor.size);
    const handle = native.createTexture(this.native, { ...descriptor, size });
    const { mipLevelCount, sampleCount, dimension, format, usage } = descriptor;
    const attributes = { mipLevelCount, sampleCount, dimension, format, usage, textureBindingViewDimension: undefined };
    return this.create("GPUTexture", handle, descriptor, { ...size, ...attributes });
  }
  createSampler(descriptor) {
    return this.create("GPUSampler", native.createSampler(this.native, descriptor), descriptor);
  }
  createBindGroupLayout(descriptor) {
    requireFormats(this, descriptor.entries.map(({ storageTexture }) => storageTexture?.format));
    return this.create("GPUBindGroupLayout", native.createBindGroupLayout(this.native, descriptor), descriptor);
  }
  createPipelineLayout(descriptor) {
    return this.create("GPUPipelineLayout", native.createPipelineLayout(this.native, descriptor), descriptor);
  }
  createBindGroup(descriptor) {
    const entries = descriptor.entries.map(({ binding, resource }) => ({ binding, ...resourceMember(resource) }));
    return this.create("GPUBindGroup", native.createBindGroup(this.native, { ...descriptor, entries }), descriptor);
  }
  createShaderModule(descriptor) {
    return this.create("GPUShaderModule", native.createShaderModule(this.native, descriptor), descriptor);
  }
  createComputePipeline(descriptor) {
    const handle = native.createComputePipeline(this.native, pipelineDescriptor(descriptor));
    return this.create("GPUComputePipeline", handle, descriptor);
  }
  createComputePipelineAsync(descriptor) {
    return this.createPipelineAsync("GPUComputePipeline", native.createComputePipelineAsync, descriptor);
  }
  createPipelineAsync(name, create, descriptor) {
    const { Promise, GPUPipelineError } = this.globalObject;
    return new Promise((resolve, reject) => {
      create(this.native, pipelineDescriptor(descriptor), (handle, error) => {
        if (error === null) return resolve(wrapperOf(this.create(name, handle, descriptor)));
        const reason = error.kind === "validation" ? "validation" : "internal";
        return reject(new GPUPipelineError(error.message, { reason }));
      });
    });
  }
  createRenderPipeline(descriptor) {
    requireFormats(this, renderFormats(descriptor));
    const handle = native.createRenderPipeline(this.native, pipelineDescriptor(descriptor));
    return this.create("GPURenderPipeline", handle, descriptor);
  }
  createRenderPipelineAsync(descriptor) {
    try {
      requireFormats(this, renderFormats(descriptor));
    } catch (error) {
      return this.globalObject.Promise.reject(error);
    }
    return this.createPipelineAsync("GPURenderPipeline", native.createRenderPipelineAsync, descriptor);
  }
  createRenderBundleEncoder(descriptor) {
    requireFormats(this, [...descriptor.colorFormats.filter(format => format !== null), descriptor.depthStencilFormat]);
    return this.create("GPURenderBundleEncoder", native.createRenderBundleEncoder(this.native, descriptor), descriptor);
  }
  importExternalTexture() {
    throw notYet(this.globalObject, "importExternalTexture", "import video");
  }
  createQuerySet(descriptor) {
    const { type, count } = descriptor;
    if (type === "timestamp" && !this.features.has("timestamp-query")) {
      throw new this.globalObject.TypeError(
        "createQuerySet: query sets of type 'timestamp' need the feature 'timestamp-query', which the device was not asked for",
      );
    }
    return this.create("GPUQuerySet", native.createQuerySet(this.native, descriptor), descriptor, { type, count });
  }
  createCommandEncoder(descriptor) {
    return this.create("GPUCommandEncoder", native.createCommandEncoder(this.native, descriptor.label), descriptor);
  }

  pushErrorScope(filter) {
    native.pushErrorScope(this.native, filter);
  }
  popErrorScope() {
    const { DOMException, Promise } = this.globalObject;
    return new Promise((resolve, reject) => {
      const done = error => resolve(error === null ? null : makeError(this.globalObject, error));
      if (native.popErrorScope(this.native, done)) return;
      reject(new DOMException("popErrorScope: there is no error scope", "OperationError"));
    });
  }
};

// GPUBindingResource, under the name of the alternative that it is. What is no object of WebGPU is a GPUBufferBinding.
function resourceMember(resource) {
  if (GPUBuffer.isImpl(resource)) return { buffer: { buffer: resource } };
  if (GPUSampler.isImpl(resource)) return { sampler: resource };
  if (GPUTexture.isImpl(resource)) return { texture: resource };
  if (GPUTextureView.isImpl(resource)) return { textureView: resource };
  return { buffer: resource };
}

// "auto" is a missing layout.
function pipelineDescriptor(descriptor) {
  return descriptor.layout === "auto" ? { ...descriptor, layout: null } : descriptor;
}

// Those of a render pipeline's targets.
function renderFormats({ fragment, depthStencil }) {
  return [...(fragment?.targets ?? []).map(target => target?.format), depthStencil?.format];
}
