// Something like speech, by rule: a voice, which is pulses and breath, through the resonances of a mouth (D. H. Klatt,
// "Software for a cascade/parallel formant synthesizer", 1980, in small). It says no words of any language. Between its
// phrases is what is no speech: silence, a hum, a rush of air.
import { rate } from "./wav.js";

/**
 * What is heard of a sound.
 * @typedef {object} Sound
 * @property {readonly number[]} formants resonances of the mouth, in hertz
 * @property {number} voice how loud the voice is, 0 to 1
 * @property {number} breath how loud noise is that goes through the mouth
 * @property {number} hiss how loud noise is at the teeth
 * @property {number} hissAt where that noise is loudest, in hertz
 */

/**
 * @param {readonly [number, number, number]} formants
 * @param {Partial<Sound>} [rest]
 * @returns {Sound}
 */
function sound(formants, rest = {}) {
  return {
    formants: [...formants, 3500, 4500],
    voice: 1,
    breath: 0.02,
    hiss: 0,
    hissAt: 5000,
    ...rest,
  };
}

/** Sounds by the letter that is nearest. */
const sounds = {
  a: sound([730, 1090, 2440]),
  e: sound([530, 1840, 2480]),
  i: sound([270, 2290, 3010]),
  o: sound([570, 840, 2410]),
  u: sound([300, 870, 2240]),
  m: sound([280, 900, 2200], { voice: 0.4 }),
  n: sound([280, 1700, 2600], { voice: 0.4 }),
  l: sound([360, 1300, 2700], { voice: 0.6 }),
  w: sound([300, 610, 2200], { voice: 0.6 }),
  s: sound([320, 1390, 2530], { voice: 0, breath: 0, hiss: 0.3, hissAt: 5500 }),
  f: sound([340, 1100, 2080], { voice: 0, breath: 0, hiss: 0.1, hissAt: 4000 }),
  z: sound([240, 1390, 2530], { voice: 0.4, hiss: 0.15, hissAt: 5500 }),
  t: sound([400, 1600, 2600], { voice: 0, breath: 0.3, hiss: 0.2, hissAt: 4500 }),
  k: sound([300, 1990, 2850], { voice: 0, breath: 0.4 }),
  b: sound([200, 1100, 2150], { voice: 0.3 }),
  d: sound([200, 1600, 2600], { voice: 0.3 }),
};

/** How long sounds take, in seconds: vowels, and the others. */
const [long, short] = [0.13, 0.07];

/** What is heard when: letters are spoken, with a pause for each space; the rest is background. */
const scene = /** @type {const} */ ([
  { kind: "quiet", seconds: 0.8 },
  { kind: "phrase", letters: "malona teki sowu" },
  { kind: "quiet", seconds: 0.9 },
  { kind: "phrase", letters: "winada bose lamiku denta" },
  { kind: "quiet", seconds: 0.5 },
  { kind: "hum", seconds: 0.7 },
  { kind: "quiet", seconds: 0.3 },
  { kind: "air", seconds: 0.7 },
  { kind: "quiet", seconds: 0.4 },
  { kind: "phrase", letters: "kelo sanimu" },
  { kind: "quiet", seconds: 0.8 },
]);

/**
 * Random numbers in -1 to 1 (mulberry32).
 * @param {number} seed
 */
function noiseFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

/** A resonance of two poles, whose place may move from sample to sample. */
function resonator() {
  let [before, earlier] = [0, 0];
  return (/** @type {number} */ x, /** @type {number} */ hertz, /** @type {number} */ width) => {
    const c = -Math.exp((-2 * Math.PI * width) / rate);
    const b = 2 * Math.exp((-Math.PI * width) / rate) * Math.cos((2 * Math.PI * hertz) / rate);
    const y = (1 - b - c) * x + b * before + c * earlier;
    [before, earlier] = [y, before];
    return y;
  };
}

/**
 * Sounds with their ends in seconds.
 * @param {string} letters
 */
function timesOf(letters) {
  let end = 0;
  return [...letters].map((letter) => {
    const name = /** @type {keyof typeof sounds} */ (letter);
    end += "aeiou".includes(letter) ? long : short;
    return { end, sound: letter === " " ? null : sounds[name] };
  });
}

/** How far a glottis is open moves air as a cosine does, and stops of a sudden: one period of its change. */
function pulse(/** @type {number} */ phase) {
  if (phase < 0.4) return Math.sin((Math.PI * phase) / 0.4);
  return phase < 0.56 ? -2.5 * Math.sin((Math.PI * (phase - 0.4)) / 0.16) : 0;
}

/**
 * The samples of a phrase: what is heard moves from each sound to the next within hundredths of a second.
 * @param {string} letters
 * @param {() => number} noise
 * @returns {Float32Array}
 */
function phrase(letters, noise) {
  const times = timesOf(letters);
  const seconds = times.at(-1)?.end ?? 0;
  const mouth = sounds.a.formants.map(() => resonator());
  const teeth = resonator();
  let now = { ...sounds.a, voice: 0, breath: 0 };
  let phase = 0;
  return Float32Array.from({ length: Math.round(seconds * rate) }, (_, n) => {
    const second = n / rate;
    const target = times.find(({ end }) => second < end)?.sound ?? null;
    now = approach(now, target);
    // The voice falls over a phrase, and trembles.
    const pitch = 125 * (1.15 - (0.35 * second) / seconds + 0.05 * Math.sin(11 * second));
    phase = (phase + (pitch * (1 + 0.01 * noise())) / rate) % 1;
    const source = now.voice * pulse(phase) + now.breath * noise();
    const throughMouth = mouth.reduce((x, resonate, k) => {
      return resonate(x, now.formants[k], 60 + 40 * k);
    }, source);
    return 0.08 * throughMouth + now.hiss * 0.2 * teeth(noise(), now.hissAt, 1200);
  });
}

/**
 * A step from what is heard to what shall be: silence, where there is no sound.
 * @param {Sound} now
 * @param {Sound | null} sound
 * @returns {Sound}
 */
function approach(now, sound) {
  const toward = (/** @type {number} */ from, /** @type {number} */ to) => from + (to - from) / 320;
  const goal = sound ?? { ...now, voice: 0, breath: 0, hiss: 0 };
  return {
    formants: now.formants.map((formant, k) => toward(formant, goal.formants[k])),
    voice: toward(now.voice, goal.voice),
    breath: toward(now.breath, goal.breath),
    hiss: toward(now.hiss, goal.hiss),
    hissAt: toward(now.hissAt, goal.hissAt),
  };
}

/**
 * The samples of a part of the scene, without the background.
 * @param {(typeof scene)[number]} part
 * @param {() => number} noise
 * @returns {Float32Array}
 */
function samplesOf(part, noise) {
  if (part.kind === "phrase") return phrase(part.letters, noise);
  const length = Math.round(part.seconds * rate);
  const air = resonator();
  return Float32Array.from({ length }, (_, n) => {
    const swell = Math.sin((Math.PI * n) / length);
    if (part.kind === "hum") return 0.2 * swell * Math.sin((2 * Math.PI * 440 * n) / rate);
    return part.kind === "air" ? 0.5 * swell * air(noise(), 900, 2000) : 0;
  });
}

/**
 * A scene of ten seconds, and where in it is speech. The same seed gives the same samples.
 * @param {number} seed
 * @returns {{ samples: Float32Array, spoken: { from: number, to: number }[] }} `from` and `to` in seconds
 */
export function makeSpeech(seed) {
  const noise = noiseFrom(seed);
  const parts = scene.map((part) => ({ kind: part.kind, samples: samplesOf(part, noise) }));
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.samples.length, 0));
  const spoken = [];
  let at = 0;
  for (const part of parts) {
    samples.set(part.samples, at);
    if (part.kind === "phrase") {
      spoken.push({ from: at / rate, to: (at + part.samples.length) / rate });
    }
    at += part.samples.length;
  }
  return { samples: samples.map((sample) => sample + 0.001 * noise()), spoken };
}
