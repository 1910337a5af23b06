// Options at random around others.

/** @typedef {{ readonly path: string, readonly values: readonly any[], readonly value: any }} Decision */
/** @typedef {Readonly<Record<string, any>>} Choices */
/** @typedef {() => number} Random numbers in [0, 1) */

/**
 * All that a compilation chose, by path: it pins it.
 * @param {{ decisions: readonly Decision[] }} compiled
 * @returns {Choices}
 */
export function allAnswers({ decisions }) {
  return Object.fromEntries(decisions.map((d) => [d.path, d.value]));
}

/**
 * Another answer: of numbers mostly a neighbour.
 * @param {Decision} decision
 * @param {any} answer
 * @param {Random} next
 */
function redraw({ values }, answer, next) {
  const at = values.indexOf(answer);
  const others = values.filter((v) => v !== answer);
  const near = others.filter((v) => Math.abs(values.indexOf(v) - at) === 1);
  const numbers = typeof answer === "number" && near.length > 0 && next() < 0.6;
  return pick(numbers ? near : others, next);
}

/** @template T @param {readonly T[]} from @param {Random} next @returns {T} */
export function pick(from, next) {
  return from[Math.floor(next() * from.length)];
}

/**
 * The choices with one to three of them changed. A change can make others possible that were not
 * before: those are plain.
 * @param {readonly Decision[]} decisions
 * @param {Choices} answers to all of them
 * @param {Random} next
 * @returns {Choices}
 */
export function drawNear(decisions, answers, next) {
  const open = decisions.filter((d) => d.values.length > 1);
  const changes = 1 + Math.floor(next() * 3);
  const drawn = { ...answers };
  for (let n = 0; n < changes && open.length > 0; n++) {
    const [decision] = open.splice(Math.floor(next() * open.length), 1);
    drawn[decision.path] = redraw(decision, answers[decision.path], next);
  }
  return drawn;
}
