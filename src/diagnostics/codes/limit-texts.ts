/** TC5xxx: limits of devices. */
import type { ProblemTexts } from "./problem-data.ts";

/** The texts of these codes. */
export const limitTexts: ProblemTexts<"TC5"> = {
  TC5001: {
    title: "over a limit of the device",
    message: (d) => `the compiled kernel is over a limit of profile \`${d.profile}\`: ${d.detail}`,
    hint: () => "split the definition, choose smaller sizes, or compile for another profile",
  },
};
