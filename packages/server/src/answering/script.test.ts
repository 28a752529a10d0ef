import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSameScript } from "./script.ts";

describe("the script of a text", () => {
  it("tells an answer nobody could read from one with a foreign name in it", () => {
    assert.equal(isSameScript("怎么安装 Debian？", "在安装程序中选择语言。"), true);
    assert.equal(isSameScript("怎么安装 Debian？", "Choose your language in the installer."), false);
    assert.equal(isSameScript("Где скачать Debian?", "На сайте debian.org."), true);
    assert.equal(isSameScript("Где скачать?", "At debian.org."), false);
  });

  it("does not tell Japanese from Chinese, which may be written alike", () => {
    assert.equal(isSameScript("営業時間", "営業は十時からです。"), true);
  });

  it("takes a text without letters for any", () => {
    assert.equal(isSameScript("???", "At ten."), true);
    assert.equal(isSameScript("When?", "10:00"), true);
  });
});
