import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSameScript } from "./script.ts";

describe("script comparison", () => {
  it("an answer in another script is told from one with a foreign name in it", () => {
    assert.equal(isSameScript("怎么安装 Debian？", "在安装程序中选择语言。"), true);
    assert.equal(isSameScript("怎么安装 Debian？", "Choose your language in the installer."), false);
    assert.equal(isSameScript("Где скачать Debian?", "На сайте debian.org."), true);
    assert.equal(isSameScript("Где скачать?", "At debian.org."), false);
  });

  it("Japanese and Chinese count as the same script", () => {
    assert.equal(isSameScript("営業時間", "営業は十時からです。"), true);
  });

  it("a text without letters matches any script", () => {
    assert.equal(isSameScript("???", "At ten."), true);
    assert.equal(isSameScript("When?", "10:00"), true);
  });
});
