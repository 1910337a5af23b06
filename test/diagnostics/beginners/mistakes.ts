/** What people write who come from somewhere else, with what the compiler must tell them. */
export interface BeginnerMistake {
  /** Where the habit comes from, and what it is. */
  readonly habit: string;
  readonly source: string;
}

const sizes = "#! sizes M=4 N=5 K=6\n";
const matrices = "float(M, K) A, float(K, N) B";

/** A definition with the usual matrices around some statements. */
function mm(statements: string): string {
  return `${sizes}def mm(${matrices}) -> (C) {\n${statements}\n}\n`;
}

/** A definition over two vectors around some statements. */
function vector(statements: string): string {
  return `#! sizes N=5\ndef f(float(N) a, float(N) b) -> (c) {\n${statements}\n}\n`;
}

export const beginnerMistakes: readonly BeginnerMistake[] = [
  { habit: "einsum: a product without an operator", source: mm("  C(m, n) = A(m, k) * B(k, n)") },
  { habit: "einsum: a call of einsum", source: mm('  C = einsum("mk,kn->mn", A, B)') },
  { habit: "einsum: the wrong letter", source: mm("  C(m, n) +=! A(m, k) * B(n, k)") },
  { habit: "einsum: whole tensors", source: mm("  C = A * B") },
  { habit: "mathematics: a sum sign", source: mm("  C(m, n) = sum(k, A(m, k) * B(k, n))") },
  { habit: "mathematics: no sign between factors", source: mm("  C(m, n) +=! A(m, k) B(k, n)") },
  { habit: "Python: the operator @", source: mm("  C = A @ B") },
  {
    habit: "Python: for in range",
    source: vector("  for i in range(N) {\n    c(i) = a(i)\n  }"),
  },
  { habit: "Python: a loop without braces", source: vector("  for i in N:\n    c(i) = a(i)") },
  {
    habit: "Python: and, or, not",
    source: vector("  c(i) = a(i) > 0.0 and not b(i) > 0.0 ? 1.0 : 0.0"),
  },
  { habit: "Python: powers", source: vector("  c(i) = a(i) ** 2") },
  {
    habit: "Python: if else as an expression",
    source: vector("  c(i) = a(i) if a(i) > 0.0 else 0.0"),
  },
  { habit: "Python: return", source: vector("  c(i) = a(i)\n  return c") },
  { habit: "Python: True", source: vector("  c(i) = True ? a(i) : b(i)") },
  { habit: "Python: a shape", source: vector("  c(i) = a(i) / a.shape[0]") },
  { habit: "Python: len", source: vector("  c(i) = a(i) / len(a)") },
  {
    habit: "Python: elif",
    source: vector(
      "  for t in N {\n    if t == 0 { c(t) = 0.0 }\n    elif t == 1 { c(t) = 1.0 }\n    else { c(t) = a(t) }\n  }",
    ),
  },
  { habit: "C: brackets", source: mm("  C[m][n] +=! A[m][k] * B[k][n]") },
  { habit: "C: semicolons", source: vector("  c(i) = a(i);\n  c(i) += b(i);") },
  { habit: "C: comments", source: vector("  // copy\n  c(i) = a(i) /* all */") },
  {
    habit: "C: a for loop",
    source: vector("  for (int i = 0; i < N; i++) {\n    c[i] = a[i];\n  }"),
  },
  { habit: "C: a declaration", source: vector("  float s = 0.0\n  s += a(i)\n  c(i) = s") },
  { habit: "C: a suffix", source: vector("  c(i) = 2.0f * a(i)") },
  {
    habit: "C: = for ==",
    source: vector("  for t in N {\n    if t = 0 { c(t) = 0.0 } else { c(t) = a(t) }\n  }"),
  },
  {
    habit: "C: a mask as a condition",
    source: "#! sizes N=5\ndef f(float(N) a, int(N) m) -> (c) {\n  c(i) = m(i) ? a(i) : 0.0\n}\n",
  },
  { habit: "C: double", source: "#! sizes N=5\ndef f(double(N) a) -> (c) {\n  c(i) = a(i)\n}\n" },
  {
    habit: "C: the shape after the name",
    source: "#! sizes N=5\ndef f(float a(N)) -> (c) {\n  c(i) = a(i)\n}\n",
  },
  { habit: "C: ++", source: vector("  c(i) = a(i)\n  c(i)++") },
  { habit: "Julia: powers", source: vector("  c(i) = a(i)^2") },
  {
    habit: "Julia: a loop from 1 to N with end",
    source: vector("  for i = 1:N\n    c(i) = a(i)\n  end"),
  },
  { habit: "Julia: indices from 1", source: vector("  c(i) = a(i) where i in 1:N+1") },
  { habit: "Rust: a range", source: vector("  for t in 0..N { c(t) = a(t) }") },
  { habit: "JavaScript: let and const", source: vector("  let s = 2.0\n  c(i) = s * a(i)") },
  {
    habit: "JavaScript: function",
    source: "#! sizes N=5\nfunction f(float(N) a) -> (c) {\n  c(i) = a(i)\n}\n",
  },
  { habit: "TC: += on a temporary", source: vector("  s(i) += a(j) * b(i)\n  c(i) = s(i)") },
  { habit: "TC: the bang apart", source: mm("  C(m, n) += ! A(m, k) * B(k, n)") },
  { habit: "TC: the bang before", source: mm("  C(m, n) =+! A(m, k) * B(k, n)") },
  { habit: "TC: a size for an index", source: mm("  C(m, n) +=! A(m, K) * B(K, n)") },
  { habit: "TC: a shifted read", source: vector("  c(i) = a(i + 1) + b(i) where i in 0:N") },
  {
    habit: "a forgotten arrow",
    source: "#! sizes N=5\ndef f(float(N) a) (c) {\n  c(i) = a(i)\n}\n",
  },
  {
    habit: "forgotten parentheses of results",
    source: "#! sizes N=5\ndef f(float(N) a) -> c {\n  c(i) = a(i)\n}\n",
  },
  {
    habit: "a forgotten type",
    source: "#! sizes N=5\ndef f(a, b) -> (c) {\n  c(i) = a(i) + b(i)\n}\n",
  },
  {
    habit: "a forgotten parenthesis",
    source: vector("  c(i) = (a(i) + b(i)\n  c(i) = c(i) * 2.0"),
  },
  { habit: "a parenthesis too many", source: vector("  c(i) = a(i) + b(i))\n  c(i) = c(i) * 2.0") },
  {
    habit: "a forgotten brace",
    source:
      "#! sizes N=5\ndef f(float(N) a) -> (c) {\n  c(i) = a(i)\n\ndef g(float(N) a) -> (c) {\n  c(i) = a(i)\n}\n",
  },
  { habit: "a misspelt function", source: vector("  c(i) = sqr(a(i)) + sqrrt(b(i))") },
  {
    habit: "a misspelt tensor",
    source: "#! sizes N=5\ndef f(float(N) input) -> (output) {\n  output(i) = imput(i)\n}\n",
  },
  { habit: "a result of another name", source: vector("  d(i) = a(i) + b(i)") },
  { habit: "an index as a value without a range", source: vector("  c(i) = a(i) * j") },
  {
    habit: "a bias in the sum",
    source:
      "#! sizes M=4 N=5 K=6\ndef fc(float(M, K) A, float(K, N) B, float(N) bias) -> (C) {\n  C(m, n) +=! A(m, k) * B(k, n) + bias(n)\n}\n",
  },
  {
    habit: "a loop backward over a size",
    source: vector("  for t in reversed(N) { c(t) = a(t) }"),
  },
  { habit: "an arg reduction without its !", source: vector("  c argmax= a(i)") },
  {
    habit: "Python: several targets",
    source:
      "#! sizes N=5\ndef g(float(N) a) -> (b, c) {\n  b(i) = a(i)\n  c(i) = a(i)\n}\ndef f(float(N) a) -> (b, c) {\n  b, c = g(a)\n}\n",
  },
  {
    habit: "mathematics: a chain of comparisons",
    source: vector("  c(i) = 0 < a(i) < 1 ? 1.0 : 0.0"),
  },
  { habit: "Greek letters", source: vector("  c(i) = α * a(i)") },
  {
    habit: "signs from a word processor",
    source: vector("  c(i) = a(i) − b(i) × 2.0 ≤ 1.0 ? “x” : 0.0"),
  },
];
