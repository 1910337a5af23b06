/**
 * The parts of an emitted module that know how many plans it has. One stands below `const plan`, the other below
 * `const plans`, pairs of a profile's name and its plan, and `const rules`, which are those of adapter-rules.ts.
 */

/** Of a module with one plan. */
export const onePlanSource: string = `
/** What to request a device with: an argument of \`adapter.requestDevice\`. */
export const requirements = plan.requirements;

/** Where it stands what to request, for messages. */
const request = "\`requirements\`";

/**
 * Compiles the kernels for a device and allocates the temporaries.
 * @param {GPUDevice} device
 */
export async function load(device) {
  const why = lackOf(plan, device);
  if (why !== null) throw new Error(program.name + ": " + why);
  return await loadPlan(device, plan);
}
`;

/** Of a module with plans for several profiles. */
export const severalPlansSource: string = `
/** Where it stands what to request, for messages. */
const request = "\`choose(adapter).requirements\`";

/** What its plans were compiled for. */
export const profiles = plans.map(([profile]) => profile);

/**
 * The profile that is made for such adapters, and the name of just this one.
 * @param {GPUAdapterInfo | undefined} info
 */
function profileOf(info) {
  if (info === undefined) return { wanted: "baseline", own: "baseline" };
  const { vendor, architecture, device, description, isFallbackAdapter } = info;
  const last = isFallbackAdapter ? "fallback" : "";
  const lines = [vendor, architecture, device, description, last].join("\\n");
  const rule = rules.find(([pattern]) => new RegExp(pattern, "i").test(lines));
  const own = [vendor, architecture].filter((word) => word !== "").join("-");
  return { wanted: rule?.[1] ?? "gpu", own };
}

/**
 * Which plan runs on an adapter or a device: of those that it can run the one for just it, else for its kind, for any GPU,
 * for any device, else the first.
 * @param {Able} on
 */
export function choose(on) {
  const { wanted, own } = profileOf(infoOf(on));
  const order = [...new Set([own, wanted, "gpu", "baseline", ...profiles])];
  const refused = [];
  for (const profile of order.filter((name) => profiles.includes(name))) {
    const plan = planFor(profile);
    const why = lackOf(plan, on);
    if (why !== null) {
      refused.push({ profile, why });
      continue;
    }
    const isFallback = profile !== own && profile !== wanted;
    return { profile, wanted, isFallback, refused, requirements: plan.requirements };
  }
  const whys = refused.map(({ profile, why }) => "for " + profile + ": " + why);
  throw new Error(program.name + ": none of its plans runs here; " + whys.join("; "));
}

/**
 * @param {string} profile
 * @returns {Plan}
 */
function planFor(profile) {
  const found = plans.find(([name]) => name === profile);
  if (found !== undefined) return found[1];
  throw new RangeError(program.name + " has no plan for " + profile + "; it has " + profiles.join(", "));
}

/**
 * Compiles the kernels of one plan for a device and allocates the temporaries.
 * @param {GPUDevice} device
 * @param {string} profile
 */
export async function load(device, profile = choose(device).profile) {
  const plan = planFor(profile);
  const why = lackOf(plan, device);
  if (why !== null) throw new Error(program.name + " for " + profile + ": " + why);
  return { ...(await loadPlan(device, plan)), profile };
}
`;
