import assert from "node:assert/strict";
import { it } from "node:test";
import { relyingPartyOf } from "./passkey-protocol.ts";

it("passkeys are bound to the host name of PUBLIC_URL, and to its pages alone", () => {
  assert.deepEqual(relyingPartyOf("https://signalbox.example.com:8443/behind/a/path"), {
    id: "signalbox.example.com",
    origin: "https://signalbox.example.com:8443",
  });
  assert.deepEqual(relyingPartyOf("http://localhost:8080"), {
    id: "localhost",
    origin: "http://localhost:8080",
  });
});

it("there are no passkeys without PUBLIC_URL, for an IP address, or without TLS on another machine", () => {
  for (const url of [undefined, "https://192.0.2.7", "https://[2001:db8::1]", "http://signalbox.example.com"])
    assert.equal(relyingPartyOf(url), undefined, url);
});
