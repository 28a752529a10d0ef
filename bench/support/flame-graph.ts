import { type CallFrame, callersOf, type CpuProfile, readProfile } from "./cpu-profile.ts";

interface Frame {
  name: string;
  ms: number;
  children: Map<string, Frame>;
}

const WIDTH = 1_600;
const ROW = 16;
const SMALLEST_PX = 4;
const IDLE = new Set(["(idle)", "(program)"]);

/** A V8 CPU profile as one picture: width is time, callers stand below what they call, idle time is left out. */
export function flameGraph(profilePath: string, title: string): string {
  const root = stacksOf(readProfile(profilePath));
  const boxes: string[] = [];
  let deepest = 0;
  const draw = (frame: Frame, x: number, depth: number): void => {
    const width = (frame.ms / root.ms) * WIDTH;
    if (width < SMALLEST_PX) return;
    deepest = Math.max(deepest, depth);
    boxes.push(boxOf(frame, { x, width, depth, share: frame.ms / root.ms }));
    let left = x;
    for (const child of [...frame.children.values()].toSorted((a, b) => b.ms - a.ms)) {
      draw(child, left, depth + 1);
      left += (child.ms / root.ms) * WIDTH;
    }
  };
  draw(root, 0, 0);
  const height = (deepest + 2) * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="11">
<text x="4" y="12">${escaped(title)}: ${Math.round(root.ms)} ms of CPU</text>
<g transform="translate(0 ${ROW})">
${boxes.join("\n")}
</g></svg>
`;
}

function stacksOf(profile: CpuProfile): Frame {
  const { nodes, samples, timeDeltas } = profile;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = callersOf(profile);
  const root: Frame = { name: "all", ms: 0, children: new Map() };
  for (const [index, sample] of samples.entries()) {
    const stack: string[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) {
      const node = byId.get(id);
      if (node !== undefined) stack.unshift(nameOf(node.callFrame));
    }
    if (IDLE.has(stack.at(-1) ?? "")) continue;
    const ms = (timeDeltas[index] ?? 0) / 1000;
    root.ms += ms;
    let frame = root;
    for (const name of stack.slice(1)) {
      const child: Frame = frame.children.get(name) ?? { name, ms: 0, children: new Map() };
      child.ms += ms;
      frame.children.set(name, child);
      frame = child;
    }
  }
  return root;
}

/** Only where in the project or which package: the rest of a path belongs to the machine it was measured on. */
function nameOf({ functionName, url }: CallFrame): string {
  const place = url.includes("/node_modules/")
    ? url.split("/node_modules/").at(-1)
    : (url.split("/packages/").at(-1) ?? url);
  return `${functionName || "(anonymous)"} ${place}`.trim();
}

function boxOf(
  { name, ms }: Frame,
  { x, width, depth, share }: { x: number; width: number; depth: number; share: number },
): string {
  const hue = name.includes("server/src/") ? 30 : name.includes("node:") ? 200 : 55;
  const shown = name.slice(0, Math.floor(width / 7));
  const label =
    shown.length > 2
      ? `<text x="${(x + 2).toFixed(1)}" y="${depth * ROW + 12}">${escaped(shown)}</text>`
      : "";
  return `<g><title>${escaped(name)}: ${ms.toFixed(0)} ms, ${(share * 100).toFixed(1)} %</title><rect x="${x.toFixed(1)}" y="${depth * ROW}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="hsl(${hue} 80% 70%)"/>${label}</g>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
