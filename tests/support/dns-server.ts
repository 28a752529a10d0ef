import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";

export type DnsQuestion = {
  name: string;
  type: "A" | "AAAA";
  /** How often this name was asked for before, with this type. */
  before: number;
};

export type DnsAnswer = {
  /** Addresses of both families; only those of the type asked for are sent. */
  addresses?: string[];
  /** The name is another name, which is answered for in turn. */
  alias?: string;
  failure?: "not_found" | "refused" | "silence";
  delayMs?: number;
};

export type DnsServer = AsyncDisposable & {
  asked: DnsQuestion[];
  /** From now on; undefined is a name that does not exist. */
  answer(zone: (question: DnsQuestion) => DnsAnswer | undefined): void;
};

const TYPES: Readonly<Record<number, DnsQuestion["type"]>> = { 1: "A", 28: "AAAA" };
const CODES = { none: 0, not_found: 3, refused: 5 };

/** A name server whose every answer is the test's own, and is to be forgotten at once: its time to live is zero. */
export async function startDnsServer(address: string, port = 53): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const asked: DnsQuestion[] = [];
  const times = new Map<string, number>();
  const delays = new Set<NodeJS.Timeout>();
  let zone: (question: DnsQuestion) => DnsAnswer | undefined = () => undefined;

  function ask(name: string, type: DnsQuestion["type"]): DnsAnswer {
    const key = `${type} ${name}`;
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    const question = { name, type, before };
    asked.push(question);
    return zone(question) ?? { failure: "not_found" };
  }

  socket.on("message", (query, from) => {
    const read = readQuestion(query);
    if (read === undefined) return;
    const { name, type, end } = read;
    const records: Buffer[] = [];
    let known = ask(name, type);
    let owner = name;
    for (let hops = 0; known.alias !== undefined && hops < 8; hops += 1) {
      records.push(record(owner, 5, encodeName(known.alias)));
      owner = known.alias;
      known = ask(owner, type);
    }
    for (const one of known.addresses ?? [])
      if (isIPv6(one) === (type === "AAAA")) records.push(record(owner, type === "A" ? 1 : 28, bytesOf(one)));
    if (known.failure === "silence") return;
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | CODES[known.failure ?? "none"], 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const reply = Buffer.concat([header, query.subarray(12, end), ...records]);
    const timer = setTimeout(() => {
      delays.delete(timer);
      socket.send(reply, from.port, from.address);
    }, known.delayMs ?? 0);
    delays.add(timer);
  });
  socket.bind(port, address);
  await once(socket, "listening");
  return {
    asked,
    answer: (next) => void (zone = next),
    async [Symbol.asyncDispose]() {
      for (const timer of delays) clearTimeout(timer);
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: DnsQuestion["type"]; end: number } | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1)];
  return type === undefined ? undefined : { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(owner), fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  // The URL parser writes an embedded IPv4 address as two groups.
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return Buffer.from(
    [...before, ...zeros, ...after].flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    }),
  );
}
