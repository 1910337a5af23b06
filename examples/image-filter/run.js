// Filters a picture, a PNG file, on this machine's WebGPU device. Everything that is computed is
// written in filters.tc; this program reads the picture, feeds it, and writes the result.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { verify } from "tc-wgsl";
import { adapterText, openRuntime } from "tc-wgsl/node";
import { encodePicture, greyPicture, readPicture, sheetOf } from "./pictures.js";

const help = `Examples:
  node examples/image-filter/run.js                    boats at Nagasaki, filtered
  node examples/image-filter/run.js --picture cat.png --effect sharpened --out sharp.png
Flags:
  --picture FILE       a PNG file of any size; boats.png beside this program
  --effect NAME        sharpened, edges, equalised, or all: a sheet with the original; all
  --out FILE           where to write the result; filtered.png
  --sigma 1            width of the blur in pixels
  --amount 1           how much to sharpen; 0: not at all
  --strength 0.6       how far to equalise, 0 to 1
  --check              compare every pixel with the float64 reference, too
  --adapter NAME       auto, gpu, software, or part of a name
`;

const flags = readFlags();

function readFlags() {
  try {
    return parseArgs({
      options: {
        picture: { type: "string" },
        effect: { type: "string", default: "all" },
        out: { type: "string", default: "filtered.png" },
        sigma: { type: "string", default: "1" },
        amount: { type: "string", default: "1" },
        strength: { type: "string", default: "0.6" },
        check: { type: "boolean", default: false },
        adapter: { type: "string", default: "auto" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return stop(error);
  }
}

/**
 * A mistyped flag, a file that cannot be written, no device.
 * @param {unknown} error
 * @returns {never}
 */
function stop(error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.exit(complain(reason, "node examples/image-filter/run.js --help lists the flags"));
}

const source = readFileSync(new URL("filters.tc", import.meta.url), "utf8");

/** @typedef {import("./pictures.js").Picture} Picture */

const makers = {
  /** @type {(filtered: Filtered) => Picture} */
  sharpened: ({ width, height, sharpened }) => ({ width, height, rgb: sharpened }),
  /** @type {(filtered: Filtered) => Picture} */
  edges: ({ width, height, edges }) => greyPicture(width, height, edges),
  /** @type {(filtered: Filtered) => Picture} */
  equalised: ({ width, height, equalised }) => ({ width, height, rgb: equalised }),
  /** @type {(filtered: Filtered, original: Picture) => Picture} */
  all: (filtered, original) =>
    sheetOf([
      original,
      makers.sharpened(filtered),
      makers.edges(filtered),
      makers.equalised(filtered),
    ]),
};

/**
 * What the filters make of a picture.
 * @typedef {object} Filtered
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} sharpened `height` rows of `width` pixels of 3 values
 * @property {Uint8Array} edges `height` rows of `width` values
 * @property {Uint8Array} equalised `height` rows of `width` pixels of 3 values
 */

if (flags.help) process.stdout.write(help);
else process.exitCode = await main().catch(stop);

async function main() {
  if (!Object.hasOwn(makers, flags.effect)) {
    return complain(`there is no effect ${flags.effect}`, "take one that --help lists");
  }
  const effect = /** @type {keyof typeof makers} */ (flags.effect);
  const sigma = Number(flags.sigma);
  if (!(sigma > 0 && sigma <= 100)) {
    return complain(`--sigma ${flags.sigma} is no width of a blur`, "give pixels, up to 100");
  }
  const [amount, strength] = [Number(flags.amount), Number(flags.strength)];
  if (!Number.isFinite(amount)) {
    return complain(`--amount ${flags.amount} is no number`, "give one, such as 1");
  }
  if (!(strength >= 0 && strength <= 1)) {
    return complain(`--strength ${flags.strength} is not in 0 to 1`, "give a number in between");
  }
  const original = open(flags.picture ?? new URL("boats.png", import.meta.url));
  if (original === null) return 2;

  const inputs = {
    picture: { data: original.rgb, shape: [original.height, original.width, 3] },
    R: Math.ceil(3 * sigma),
    sigma,
    amount,
    strength,
  };
  const filtered = await filter(original, inputs);
  writeFileSync(flags.out, encodePicture(makers[effect](filtered, original)));
  console.log(`written   ${flags.out}`);
  return flags.check ? compare(inputs, filtered) : 0;
}

/**
 * Null, and a message, when the file cannot be read.
 * @param {string | URL} path
 */
function open(path) {
  try {
    return readPicture(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    complain(`${path} cannot be read: ${reason}`, "name a PNG file with --picture");
    return null;
  }
}

/**
 * Applies all filters on the device.
 * @param {Picture} picture
 * @param {Inputs} inputs
 * @returns {Promise<Filtered>}
 *
 * @typedef {object} Inputs
 * @property {{ data: Uint8Array, shape: number[] }} picture
 * @property {number} R
 * @property {number} sigma
 * @property {number} amount
 * @property {number} strength
 */
async function filter({ width, height }, inputs) {
  const runtime = await openRuntime({ adapter: flags.adapter });
  console.log(`adapter   ${adapterText(runtime.adapter)}`);
  console.log(`picture   ${width} x ${height} pixels`);
  const start = performance.now();
  const { sharpened, edges, equalised } = await runtime.define(source)["filters"]({ ...inputs });
  const filtered = {
    width,
    height,
    sharpened: Uint8Array.from(await sharpened.read()),
    edges: Uint8Array.from(await edges.read()),
    equalised: Uint8Array.from(await equalised.read()),
  };
  console.log(`time      ${Math.round(performance.now() - start)} ms to compile and to run`);
  runtime.dispose();
  return filtered;
}

/**
 * Compares the results with the float64 reference. Returns the exit code.
 * @param {Inputs} inputs
 * @param {Filtered} filtered
 */
function compare(inputs, { width, height, sharpened, edges, equalised }) {
  const outputs = {
    sharpened: { data: sharpened, shape: [height, width, 3] },
    edges: { data: edges, shape: [height, width] },
    equalised: { data: equalised, shape: [height, width, 3] },
  };
  const found = verify(source, { ...inputs }, outputs, { maxPoints: 1e9 });
  if (found.wrong.length > 0) {
    const [{ tensor, index, found: value, expected }] = found.wrong;
    return complain(
      `${tensor}(${index}) is ${value}, but should be ${expected}`,
      "report it as a bug, with the output of tc-compile info",
    );
  }
  console.log(
    `checked   ${found.compared} of ${found.total} values equal those of the float64 reference; rounding may decide ${found.ambiguous} either way`,
  );
  return 0;
}

/**
 * Prints an error. Returns the exit code.
 * @param {string} message
 * @param {string} next
 */
function complain(message, next) {
  console.error(`error: ${message}`);
  console.error(`  next: ${next}`);
  return 2;
}
