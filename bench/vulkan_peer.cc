// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a compute shader with one storage buffer on the first Vulkan device (lavapipe, SwiftShader:
// VK_ICD_FILENAMES picks) and prints its times in milliseconds, one a line, then "sum S", the sum of the
// buffer's words.
//     lockstep_bench_vulkan SHADER.spv WORDS GROUPS_X GROUPS_Y REPEATS
#include <vulkan/vulkan.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

void Check(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "%s failed: VkResult %d\n", what, result);
  std::exit(3);
}

struct Context {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
};

Context MakeContext() {
  Context c;
  VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  app.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo instance_info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance_info.pApplicationInfo = &app;
  Check(vkCreateInstance(&instance_info, nullptr, &c.instance), "vkCreateInstance");
  uint32_t count = 1;
  if (vkEnumeratePhysicalDevices(c.instance, &count, &c.physical) < 0 || count == 0) std::exit(3);
  const float priority = 1;
  VkDeviceQueueCreateInfo queue_info{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  VkDeviceCreateInfo device_info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue_info;
  Check(vkCreateDevice(c.physical, &device_info, nullptr, &c.device), "vkCreateDevice");
  vkGetDeviceQueue(c.device, 0, 0, &c.queue);
  VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  Check(vkCreateCommandPool(c.device, &pool_info, nullptr, &c.pool), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = c.pool;
  allocate.commandBufferCount = 1;
  Check(vkAllocateCommandBuffers(c.device, &allocate, &c.commands), "vkAllocateCommandBuffers");
  return c;
}

// A storage buffer in memory that the host sees; returns where it is mapped.
uint32_t* MakeBuffer(const Context& c, uint64_t bytes, VkBuffer* buffer) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  Check(vkCreateBuffer(c.device, &info, nullptr, buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(c.device, *buffer, &needs);
  VkPhysicalDeviceMemoryProperties memories;
  vkGetPhysicalDeviceMemoryProperties(c.physical, &memories);
  const VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = needs.size;
  for (uint32_t i = 0; i < memories.memoryTypeCount; ++i) {
    if ((needs.memoryTypeBits >> i & 1) && (memories.memoryTypes[i].propertyFlags & wanted) == wanted)
      allocate.memoryTypeIndex = i;
  }
  VkDeviceMemory memory;
  Check(vkAllocateMemory(c.device, &allocate, nullptr, &memory), "vkAllocateMemory");
  Check(vkBindBufferMemory(c.device, *buffer, memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  Check(vkMapMemory(c.device, memory, 0, bytes, 0, &mapped), "vkMapMemory");
  return static_cast<uint32_t*>(mapped);
}

struct Pipeline {
  VkPipeline pipeline;
  VkPipelineLayout layout;
  VkDescriptorSet set;
};

Pipeline MakePipeline(const Context& c, const std::vector<char>& spirv, VkBuffer buffer, uint64_t bytes) {
  Pipeline p;
  VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                       nullptr};
  VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set_info.bindingCount = 1;
  set_info.pBindings = &binding;
  VkDescriptorSetLayout set_layout;
  Check(vkCreateDescriptorSetLayout(c.device, &set_info, nullptr, &set_layout),
        "vkCreateDescriptorSetLayout");
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout;
  Check(vkCreatePipelineLayout(c.device, &layout_info, nullptr, &p.layout), "vkCreatePipelineLayout");
  VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_info.codeSize = spirv.size();
  module_info.pCode = reinterpret_cast<const uint32_t*>(spirv.data());
  VkShaderModule module;
  Check(vkCreateShaderModule(c.device, &module_info, nullptr, &module), "vkCreateShaderModule");
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.layout = p.layout;
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                nullptr};
  Check(vkCreateComputePipelines(c.device, VK_NULL_HANDLE, 1, &info, nullptr, &p.pipeline),
        "vkCreateComputePipelines");
  VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = 1;
  pool_info.pPoolSizes = &size;
  VkDescriptorPool pool;
  Check(vkCreateDescriptorPool(c.device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &set_layout;
  Check(vkAllocateDescriptorSets(c.device, &allocate, &p.set), "vkAllocateDescriptorSets");
  VkDescriptorBufferInfo bound{buffer, 0, bytes};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = p.set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &bound;
  vkUpdateDescriptorSets(c.device, 1, &write, 0, nullptr);
  return p;
}

double RunOnce(const Context& c, const Pipeline& p, uint32_t x, uint32_t y) {
  VkCommandBufferBeginInfo begin_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  Check(vkBeginCommandBuffer(c.commands, &begin_info), "vkBeginCommandBuffer");
  vkCmdBindPipeline(c.commands, VK_PIPELINE_BIND_POINT_COMPUTE, p.pipeline);
  vkCmdBindDescriptorSets(c.commands, VK_PIPELINE_BIND_POINT_COMPUTE, p.layout, 0, 1, &p.set, 0, nullptr);
  vkCmdDispatch(c.commands, x, y, 1);
  Check(vkEndCommandBuffer(c.commands), "vkEndCommandBuffer");
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &c.commands;
  const auto begin = std::chrono::steady_clock::now();
  Check(vkQueueSubmit(c.queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  Check(vkQueueWaitIdle(c.queue), "vkQueueWaitIdle");
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: lockstep_bench_vulkan SHADER.spv WORDS GROUPS_X GROUPS_Y REPEATS\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> spirv((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const uint64_t words = std::strtoull(argv[2], nullptr, 10);
  const Context context = MakeContext();
  VkBuffer buffer;
  uint32_t* mapped = MakeBuffer(context, words * 4, &buffer);
  const Pipeline pipeline = MakePipeline(context, spirv, buffer, words * 4);
  const uint32_t x = static_cast<uint32_t>(std::atoi(argv[3])), y = static_cast<uint32_t>(std::atoi(argv[4]));
  for (int i = 0; i <= std::atoi(argv[5]); ++i) {  // the first run compiles and does not count
    std::memset(mapped, 0, words * 4);
    const double ms = RunOnce(context, pipeline, x, y);
    if (i > 0) std::printf("%.6f\n", ms);
  }
  uint64_t sum = 0;
  for (uint64_t i = 0; i < words; ++i) sum += mapped[i];
  std::printf("sum %llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
