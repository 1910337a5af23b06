import type { Pages } from "./page.ts";

/** TC5xxx: limits of devices. */
export const limitPages: Pages<"TC5"> = {
  TC5001: {
    text: `A kernel needs more of something than a device of this profile has for one kernel: most
often storage buffers, one for each tensor (WebGPU promises 8). What can be taken apart, is: parts of
a statement are computed before, into temporaries. Here eight coordinates are read from a tensor
each, which have to come together. Put some of the tensors into one, read fewer in a statement, or
compile for a device that binds more.`,
    bad: `#! sizes N=3
def pick(float(N, N, N, N, N, N, N, N) a, int(N) p, int(N) q, int(N) r, int(N) s,
         int(N) t, int(N) u, int(N) v, int(N) w) -> (y) {
  y(i) = a(p(i), q(i), r(i), s(i), t(i), u(i), v(i), w(i)) where i in 0:N
}
`,
    good: `#! sizes N=3
def pick(float(N, N, N, N, N, N, N, N) a, int(8, N) at) -> (y) {
  y(i) = a(at(0, i), at(1, i), at(2, i), at(3, i), at(4, i), at(5, i), at(6, i), at(7, i))
    where i in 0:N
}
`,
  },
  TC5002: {
    text: `A kernel sees a tensor through one binding, and a device limits how many bytes that is: 128
MiB are promised by WebGPU, many devices have 1 GiB or more. \`runtime.define\` compiles for the device
at hand; \`compile\` and \`tc-compile\` for the profile that they are given. For a temporary, compute
in parts, or write it so that it need not be stored.`,
    bad: `#! sizes M=40000 K=40000 N=2
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}
`,
    good: `#! sizes M=400 K=40000 N=2
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}
`,
  },
  TC5003: {
    text: `Kernels compute with indices of 32 bits, so a tensor has at most 2147483647 elements, whatever
the device can store. Compute it in parts.`,
    bad: `#! sizes N=65536
def outer(float(N) a) -> (y) {
  y(i, j) = a(i) * a(j)
}
`,
    good: `#! sizes M=512 N=65536
def outer(float(M) a, float(N) b) -> (y) {
  y(i, j) = a(i) * b(j)
}
`,
  },
  TC5004: {
    text: `Ranges, conditions and indices are computed with 32 bits. This one would wrap around for
some values of its indices, and mean another element. Choose smaller factors; for a quotient, divide
before you multiply where that is the same.`,
    bad: `#! sizes N=100000
def spread(float(N) x) -> (y) {
  y(i) = x((i * 99991 + 7) / 100000) where i in 0:N
}
`,
    good: `#! sizes N=100000
def spread(float(N) x) -> (y) {
  y(i) = x((i * 9999 + 7) / 10000) where i in 0:N
}
`,
  },
  TC5005: {
    text: `Every size is a constant of the compiled text: one compilation serves one set of sizes. Give
their values; \`define\` does so by itself, from the shapes of the arguments of each call, and keeps
what it compiled.`,
    bad: {
      source: `def scale(float(B, N) x) -> (y) {
  y(b, n) = 2.0 * x(b, n)
}
`,
      request: { sizes: { N: 64 }, symbolic: ["B"] },
    },
    good: {
      source: `def scale(float(B, N) x) -> (y) {
  y(b, n) = 2.0 * x(b, n)
}
`,
      request: { sizes: { B: 8, N: 64 } },
    },
  },
};
