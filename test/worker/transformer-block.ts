/** A definition that takes long to compile: a block of a transformer, with causal attention. */
export const transformerBlock: string = `
def block(float(T, D) x, float(D, H, E) Wq, float(D, H, E) Wk, float(D, H, E) Wv, float(H, E, D) Wo,
          float(D, F) W1, float(F) b1, float(F, D) W2, float(D) b2, float(D) g1, float(D) g2) -> (y) {
  ms1(t) +=! x(t, d) * x(t, d)
  n1(t, d) = x(t, d) * rsqrt(ms1(t) / D + 0.00001) * g1(d)
  q(t, h, e) +=! n1(t, d) * Wq(d, h, e)
  k(t, h, e) +=! n1(t, d) * Wk(d, h, e)
  v(t, h, e) +=! n1(t, d) * Wv(d, h, e)
  s(h, t, u) +=! q(t, h, e) * k(u, h, e)
  sm(h, t, u) = u <= t ? s(h, t, u) * rsqrt(float(E)) : -1e30 where t in 0:T, u in 0:T
  m(h, t) max=! sm(h, t, u)
  p(h, t, u) = exp(sm(h, t, u) - m(h, t))
  z(h, t) +=! p(h, t, u)
  o(t, h, e) +=! p(h, t, u) * v(u, h, e)
  on(t, h, e) = o(t, h, e) / z(h, t)
  a(t, d) +=! on(t, h, e) * Wo(h, e, d)
  r(t, d) = x(t, d) + a(t, d)
  ms2(t) +=! r(t, d) * r(t, d)
  n2(t, d) = r(t, d) * rsqrt(ms2(t) / D + 0.00001) * g2(d)
  f(t, c) +=! n2(t, d) * W1(d, c)
  fa(t, c) = gelu(f(t, c) + b1(c))
  w(t, d) +=! fa(t, c) * W2(c, d)
  y(t, d) = r(t, d) + w(t, d) + b2(d)
}`;

/** Sizes of a small one. */
export const blockSizes: Readonly<Record<string, number>> = { T: 16, D: 32, H: 2, E: 16, F: 64 };
