import { generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { isIP } from "node:net";

export type Certificate = { key: string; cert: string };

export type CertificateToIssue = {
  /** Names and addresses it is good for. */
  hosts: string[];
  from?: Date;
  until?: Date;
};

export type Authority = {
  certificate: string;
  issue(wanted: CertificateToIssue): Certificate;
};

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = sequence(oid(1, 2, 840, 10_045, 4, 3, 2));

/** Certificates made on the spot, so that expired ones are expired and none in the tree ever expires. */
export function createAuthority(): Authority {
  const { privateKey, publicKey } = newKey();
  const issuer = name("Signalbox test authority");
  const certificate = certify({
    issuer,
    subject: issuer,
    publicKey,
    signer: privateKey,
    from: new Date(Date.now() - 30 * DAY_MS),
    until: new Date(Date.now() + 30 * DAY_MS),
    // basicConstraints, critical: an authority.
    extensions: [sequence(oid(2, 5, 29, 19), der(0x01, [0xff]), der(0x04, sequence(der(0x01, [0xff]))))],
  });
  return {
    certificate,
    issue: (wanted) => issueWith(wanted, issuer, privateKey),
  };
}

/** Vouched for by nobody but itself. */
export function selfSigned(wanted: CertificateToIssue): Certificate {
  return issueWith(wanted, undefined, undefined);
}

function issueWith(
  { hosts, from = new Date(Date.now() - DAY_MS), until = new Date(Date.now() + DAY_MS) }: CertificateToIssue,
  issuer: Buffer | undefined,
  signer: KeyObject | undefined,
): Certificate {
  const { privateKey, publicKey } = newKey();
  const subject = name(hosts[0] ?? "nobody");
  const names = hosts.map((host) =>
    isIP(host) === 0 ? der(0x82, Buffer.from(host, "latin1")) : der(0x87, addressBytes(host)),
  );
  const cert = certify({
    issuer: issuer ?? subject,
    subject,
    publicKey,
    signer: signer ?? privateKey,
    from,
    until,
    // subjectAltName
    extensions: [sequence(oid(2, 5, 29, 17), der(0x04, sequence(...names)))],
  });
  return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert };
}

function newKey(): { privateKey: KeyObject; publicKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

type ToCertify = {
  issuer: Buffer;
  subject: Buffer;
  publicKey: KeyObject;
  signer: KeyObject;
  from: Date;
  until: Date;
  extensions: Buffer[];
};

function certify({ issuer, subject, publicKey, signer, from, until, extensions }: ToCertify): string {
  const serial = randomBytes(16);
  serial.writeUInt8(0x11, 0);
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(from), time(until)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signed = sequence(body, ECDSA_WITH_SHA256, der(0x03, [0], sign("sha256", body, signer)));
  const lines = signed.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function der(tag: number, ...contents: (Buffer | number[])[]): Buffer {
  const content = Buffer.concat(contents.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function oid(first: number, second: number, ...rest: number[]): Buffer {
  const bytes = rest.flatMap((arc) => {
    const septets = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return der(0x06, [40 * first + second, ...bytes]);
}

/** One common name. */
function name(text: string): Buffer {
  return sequence(der(0x31, sequence(oid(2, 5, 4, 3), der(0x0c, Buffer.from(text, "utf8")))));
}

function time(at: Date): Buffer {
  return der(0x18, Buffer.from(at.toISOString().replaceAll(/[-:T]|\.\d+/g, ""), "latin1"));
}

function addressBytes(address: string): Buffer {
  if (!address.includes(".")) throw new Error(`only IPv4 addresses go into these certificates: ${address}`);
  return Buffer.from(address.split(".").map(Number));
}
