import { execFile } from "node:child_process";
import { cp, mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface ImageFiles {
  /** Where the working directory of the image lies here. */
  directory: string;
  user: string;
  entrypoint: string[];
  healthCommand: string[];
}

interface Instruction {
  word: string;
  rest: string;
}

/**
 * Does what a Dockerfile says, with directories in place of images: copies what it copies and runs what it runs, one
 * stage after the other. An instruction that it does not know fails, so that no line goes untried unseen.
 */
export async function layOutImage(root: string, dockerfile: string, target: string): Promise<ImageFiles> {
  const image: ImageFiles = { directory: "", user: "root", entrypoint: [], healthCommand: [] };
  const stages = new Map<string, string>();
  let stage = "";
  let place = "";
  for (const { word, rest } of instructionsOf(await readFile(join(root, dockerfile), "utf8"))) {
    switch (word) {
      case "FROM":
        stage = join(target, / AS (\w+)$/.exec(rest)?.[1] ?? "image");
        stages.set(basename(stage), stage);
        break;
      case "WORKDIR":
        image.directory = place = join(stage, rest);
        await mkdir(place, { recursive: true });
        break;
      case "COPY":
        await copy(rest, { root, stages, place });
        break;
      case "RUN":
        await run("sh", ["-c", rest], { cwd: place });
        break;
      case "USER":
        image.user = rest;
        break;
      case "HEALTHCHECK":
        image.healthCommand = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4)) as string[];
        break;
      case "ENTRYPOINT":
        image.entrypoint = JSON.parse(rest) as string[];
        break;
      case "ARG":
      case "ENV":
      case "EXPOSE":
      case "CMD":
        break;
      default:
        throw new Error(`${dockerfile}: nobody here knows what ${word} does`);
    }
  }
  return image;
}

function instructionsOf(text: string): Instruction[] {
  return text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, word = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return { word, rest };
    });
}

type Places = { root: string; stages: Map<string, string>; place: string };

async function copy(rest: string, { root, stages, place }: Places): Promise<void> {
  const [, from, words = ""] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? [];
  const paths = words.split(" ");
  const to = paths.pop() ?? ".";
  for (const path of paths) {
    const source = join(from === undefined ? root : (stages.get(from) ?? `no stage ${from}`), path);
    const isInto = to.endsWith("/");
    await cp(source, isInto ? join(place, to, basename(path)) : join(place, to), {
      recursive: true,
      // As .dockerignore says.
      filter: (name) => from !== undefined || !(name.endsWith(".test.ts") || name.endsWith("/node_modules")),
      verbatimSymlinks: true,
    });
  }
}
