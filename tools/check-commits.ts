import { branchPoint, git } from "./git.ts";
import { ARROWS } from "./rooms.ts";

const SUBJECT_MAX = 72;
/** Places that have no arrows. */
const ALSO = ["server", "docs", "readme", "deploy", "ci", "github", "fuzz", "release"];
const PLACES = [...Object.keys(ARROWS), ...ALSO];

/** Why a commit message is refused, or undefined: the place, the effect in the imperative, then an empty line. */
export function refuseMessage(message: string): string | undefined {
  const [subject = "", second = ""] = message.split("\n");
  if (/^(?:Merge|Revert) /.test(subject)) return undefined;
  const [, places] = /^([a-z][a-z/, -]*): \S/.exec(subject) ?? [];
  if (places === undefined)
    return "begin with the place and a colon, as in `delivery: retry no sooner than …`";
  const unknown = places.split(", ").find((place) => !PLACES.includes(place));
  if (unknown !== undefined)
    return `${unknown} is no place of this repository: ${PLACES.toSorted().join(", ")}`;
  if (subject.length > SUBJECT_MAX)
    return `the first line has ${subject.length} characters, ${SUBJECT_MAX} at most: say why in the lines below`;
  if (subject.endsWith(".")) return "the first line ends without a full stop";
  if (second !== "") return "leave the second line empty: tools take the first alone for the subject";
  return undefined;
}

if (import.meta.main) {
  const from = branchPoint(process.argv[2]);
  const hashes = from === undefined ? "" : (git("rev-list", "--no-merges", `${from}..HEAD`) ?? "");
  for (const hash of hashes.split("\n").filter((line) => line !== "")) {
    const message = git("log", "-1", "--format=%B", hash) ?? "";
    const refusal = refuseMessage(message);
    if (refusal === undefined) continue;
    console.log(`${hash.slice(0, 8)} ${message.split("\n")[0]}\n    ${refusal}`);
    process.exitCode = 1;
  }
}
