// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one of the kernels/*.cl on the first OpenCL device (pocl) and prints its times in milliseconds, one a
// line, then "sum S": the sum of the output's words, which bench/run.py holds against Lockstep's.
//     lockstep_bench_opencl KERNEL.cl KIND[:SIZE] REPEATS    KIND: price_rank | histogram | mandelbrot |
//     matmul
// SIZE: the prices (16384), or the workgroups of the histogram (16384, each of 4096 reviews).
// Inputs are the same as the WGSL twins' directives give: SplitMix64, floats from the top 24 bits
// (docs/cli.md).
#include <CL/cl.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

void Check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s failed: OpenCL error %d\n", what, status);
  std::exit(3);
}

uint64_t SplitMix64(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::vector<float> Random(size_t count, float low, float high, uint64_t seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(SplitMix64(seed, i) >> 40) / 16777216.0;
    values[i] = static_cast<float>(low + (static_cast<double>(high) - low) * unit);
  }
  return values;
}

struct Job {
  std::vector<std::vector<float>> inputs;
  size_t output_words = 0;
  size_t global[2] = {1, 1};
  size_t local[2] = {1, 1};
  cl_uint dimensions = 1;
  bool has_count = false;
};

Job Describe(const std::string& described) {
  Job job;
  const size_t colon = described.find(':');
  const std::string kind = described.substr(0, colon);
  const size_t size = colon == std::string::npos ? 16384 : std::stoul(described.substr(colon + 1));
  if (kind == "price_rank") {
    job.inputs = {Random(size, 5, 60, 7)};
    job.output_words = job.global[0] = size;
    job.local[0] = 256;
    job.has_count = true;
  } else if (kind == "histogram") {
    job.output_words = 6;
    job.global[0] = size * 256;
    job.local[0] = 256;
  } else if (kind == "mandelbrot") {
    job.output_words = size_t{2048} * 2048;
    job.dimensions = 2;
    job.global[0] = job.global[1] = 2048;
    job.local[0] = job.local[1] = 16;
  } else if (kind == "matmul") {
    job.inputs = {Random(1 << 20, -1, 1, 1), Random(1 << 20, -1, 1, 2)};
    job.output_words = 1 << 20;
    job.dimensions = 2;
    job.global[0] = job.global[1] = 1024;
    job.local[0] = job.local[1] = 16;
  } else {
    std::fprintf(stderr, "unknown kind '%s'\n", kind.c_str());
    std::exit(2);
  }
  return job;
}

// Inputs, the output buffer, which is returned, and the count of inputs where the kernel takes one.
cl_mem SetArguments(cl_context context, cl_kernel kernel, const Job& job) {
  cl_int status;
  cl_uint argument = 0;
  for (const std::vector<float>& input : job.inputs) {
    std::vector<float> copy = input;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, copy.size() * 4,
                                   copy.data(), &status);
    Check(status, "clCreateBuffer");
    Check(clSetKernelArg(kernel, argument++, sizeof(cl_mem), &buffer), "clSetKernelArg");
  }
  cl_mem output = clCreateBuffer(context, CL_MEM_READ_WRITE, job.output_words * 4, nullptr, &status);
  Check(status, "clCreateBuffer");
  Check(clSetKernelArg(kernel, argument++, sizeof(cl_mem), &output), "clSetKernelArg");
  if (job.has_count) {
    const cl_uint count = static_cast<cl_uint>(job.inputs[0].size());
    Check(clSetKernelArg(kernel, argument++, sizeof(count), &count), "clSetKernelArg");
  }
  return output;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "usage: lockstep_bench_opencl KERNEL.cl price_rank|histogram|mandelbrot|matmul REPEATS\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const std::string source = text.str();
  const Job job = Describe(argv[2]);

  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  Check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  Check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  Check(status, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  Check(status, "clCreateCommandQueue");
  const char* pointer = source.c_str();
  cl_program program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &status);
  Check(status, "clCreateProgramWithSource");
  Check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "run", &status);
  Check(status, "clCreateKernel");

  const cl_mem output = SetArguments(context, kernel, job);

  std::vector<uint32_t> words(job.output_words);
  const int repeats = std::atoi(argv[3]);
  for (int i = 0; i < repeats + 1; ++i) {  // the first run compiles and does not count
    std::memset(words.data(), 0, words.size() * 4);
    Check(
        clEnqueueWriteBuffer(queue, output, CL_TRUE, 0, words.size() * 4, words.data(), 0, nullptr, nullptr),
        "write");
    const auto begin = std::chrono::steady_clock::now();
    Check(clEnqueueNDRangeKernel(queue, kernel, job.dimensions, nullptr, job.global, job.local, 0, nullptr,
                                 nullptr),
          "run");
    Check(clFinish(queue), "clFinish");
    const auto end = std::chrono::steady_clock::now();
    if (i > 0) std::printf("%.6f\n", std::chrono::duration<double, std::milli>(end - begin).count());
  }
  Check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, words.size() * 4, words.data(), 0, nullptr, nullptr),
        "read");
  uint64_t sum = 0;
  for (const uint32_t word : words) sum += word;
  std::printf("sum %llu\n", static_cast<unsigned long long>(sum));
  return 0;
}
