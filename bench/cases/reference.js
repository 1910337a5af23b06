/**
 * The sum of `term(0) + ... + term(count - 1)` in float64.
 * @param {number} count
 * @param {(k: number) => number} term
 */
export function dot(count, term) {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += term(k);
  return sum;
}
