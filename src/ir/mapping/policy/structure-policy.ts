/** Which algebraic rewrites we prefer: the rules themselves are in files of their own, by family. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { mayAllLeave } from "../../algebraic/leave-loop.ts";
import type { StructureQuestion, Subject } from "../structure/question.ts";
import { preferredBlocks } from "./blocks-defaults.ts";
import { preferredPlaces, prefersInline } from "./cost-fusion.ts";
import { prefersFactor } from "./factor-defaults.ts";
import { prefersSkew } from "./front-defaults.ts";
import { prefersParts } from "./grouping-policy.ts";
import {
  preferredChunk,
  preferredScan,
  prefersLeave,
  prefersTerms,
  prefersTurned,
  prefersTurns,
} from "./loop-defaults.ts";
import { prefersOnePass } from "./one-pass-defaults.ts";
import { preferredPadding, prefersPack } from "./packing-defaults.ts";
import { preferredGather } from "./reduction-defaults.ts";
import { prefersRows } from "./row-defaults.ts";

/** What is asked about rewrites alone. */
type RewriteSubject = Exclude<Subject, { readonly family: "with" | "loop" }>;

/** What we would choose for a question about a program's rewrites. */
export function policyStructure(
  subject: RewriteSubject,
  { program, values }: Pick<StructureQuestion, "program" | "values">,
  profile: DeviceProfile,
): Choice {
  const [plainest = false] = values;
  switch (subject.family) {
    case "gather":
      return preferredGather(subject.candidate, profile);
    case "terms":
      return prefersTerms(program, subject.candidate, profile);
    case "leave":
      return prefersLeave(
        program,
        { ...subject.candidate, all: mayAllLeave(program, subject.candidate.loop) },
        profile,
      );
    case "scan":
      return preferredScan(program, subject.candidate, profile);
    case "chain":
      return preferredChunk(program, subject.candidate, profile);
    case "skew":
      return prefersSkew(program, subject.candidate, profile);
    case "parts":
      return prefersParts(program, subject.candidate, profile);
    case "flatten":
    case "vectors":
      return prefersRows(program, subject.candidate, profile);
    case "merge":
      return true;
    case "inline":
      return prefersInline(program, subject.candidate.tensor, profile);
    case "stage":
    case "expand":
      return false;
    case "split":
      return "no";
    case "online":
      return prefersOnePass(program, subject.candidate, profile);
    case "blocks":
      return preferredBlocks(program, subject.candidate, profile);
    case "factor":
      return prefersFactor(program, subject.candidate, profile);
    case "up":
      return preferredPlaces(program, subject.candidate, profile);
    case "pad":
      return preferredPadding(program, subject.candidate, profile);
    case "pack":
      return prefersPack(program, subject.candidate, profile);
    case "turn":
      return prefersTurned(program, subject.candidate, profile);
    case "own":
      return prefersTurns(subject, profile) ? (values[1] ?? plainest) : plainest;
  }
}
