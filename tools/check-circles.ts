import { type ImportGraph, readImportGraph } from "./imports.ts";

/** Files that import each other, through however many others, for a type alone too; by Tarjan's algorithm. */
export function circlesIn(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    open.push(file);
    for (const { file: next } of graph.get(file) ?? []) {
      const reached = order.has(next) ? (open.includes(next) ? order.get(next) : undefined) : visit(next);
      lowest.set(file, Math.min(lowest.get(file) ?? number, reached ?? number));
    }
    if (lowest.get(file) === number) {
      const circle = open.splice(open.indexOf(file));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return lowest.get(file) ?? number;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

if (import.meta.main) {
  const found = circlesIn(readImportGraph());
  for (const circle of found)
    console.log(
      `a circle of imports, types included:\n  ${circle.join("\n  ")}\nmove what they share below both`,
    );
  if (found.length > 0) process.exitCode = 1;
}
