/** A file of questions and answers as somebody saved it. */
export interface EncodedFile {
  name: string;
  language: string;
  delimiter: string;
  bytes: Buffer;
  pairs: { question: string; answer: string }[];
}

const PAIRS: Record<string, [question: string, answer: string][]> = {
  en: [
    ["Where is the café?", "Next to the bank, on the left – it’s “open”."],
    ["What does it cost?", 'About 5 €, "more or less".'],
  ],
  de: [
    ["Wie öffne ich die Tür?", "Mit dem Schlüssel; er liegt über der Schwelle."],
    ["Was kostet der Käse?", "Fünf Äpfel, größere auch weniger."],
  ],
  zh: [
    ["如何重置密码？", "打开设置，选择账户，\n然后点击“重置密码”。"],
    ["退款需要多久？", "三到五个工作日。"],
  ],
  "zh-tw": [
    ["如何重設密碼？", "打開設定，選擇帳戶，\n然後點擊重設密碼。"],
    ["退款需要多久？", "三到五個工作天。"],
  ],
  ja: [
    ["パスワードをリセットするには？", "設定を開いて、アカウントを\n選択してください。"],
    ["返金はどのくらいかかりますか？", "三日から五日です。"],
  ],
  ko: [
    ["비밀번호를 재설정하려면 어떻게 하나요?", "설정을 열고 계정을 선택하세요."],
    ["환불은 얼마나 걸리나요?", "삼 일에서 오 일 걸립니다."],
  ],
  ru: [
    ["Как сбросить пароль?", "Откройте настройки, выберите\nучётную запись."],
    ["Сколько длится возврат?", "От трёх до пяти дней."],
  ],
  pl: [
    ["Jak zresetować hasło?", "Otwórz ustawienia i wybierz konto, proszę."],
    ["Ile trwa zwrot pieniędzy?", "Od trzech do pięciu dni; zażółć gęślą jaźń."],
  ],
  el: [
    ["Πώς αλλάζω τον κωδικό;", "Ανοίξτε τις ρυθμίσεις και επιλέξτε λογαριασμό."],
    ["Πόσο διαρκεί η επιστροφή;", "Τρεις έως πέντε ημέρες."],
  ],
  tr: [
    ["Şifremi nasıl sıfırlarım?", "Ayarları açın ve hesabınızı seçin."],
    ["İade ne kadar sürer?", "Üç ile beş iş günü; değişebilir."],
  ],
  he: [
    ["איך מאפסים סיסמה?", "פותחים את ההגדרות ובוחרים חשבון."],
    ["כמה זמן לוקח החזר כספי?", "שלושה עד חמישה ימים."],
  ],
  ar: [
    ["كيف أعيد تعيين كلمة المرور؟", "افتح الإعدادات واختر الحساب."],
    ["كم يستغرق استرداد المبلغ؟", "من ثلاثة إلى خمسة أيام."],
  ],
  th: [
    ["จะรีเซ็ตรหัสผ่านได้อย่างไร", "เปิดการตั้งค่าแล้วเลือกบัญชี"],
    ["คืนเงินใช้เวลานานเท่าไร", "สามถึงห้าวันทำการ"],
  ],
};

// Written by the codecs of another language than ours, so that no decoder is tested against its own encoder.
const FILES: [name: string, language: string, delimiter: string, base64: string][] = [
  [
    "utf-8",
    "en",
    ",",
    "cXVlc3Rpb24sYW5zd2VyDQpXaGVyZSBpcyB0aGUgY2Fmw6k/LCJOZXh0IHRvIHRoZSBiYW5rLCBvbiB0aGUgbGVmdCDigJMgaXTigJlzIOKAnG9wZW7igJ0uIg0KV2hhdCBkb2VzIGl0IGNvc3Q/LCJBYm91dCA1IOKCrCwgIiJtb3JlIG9yIGxlc3MiIi4iDQo=",
  ],
  [
    "utf-8 with its mark",
    "zh",
    ";",
    "77u/6Zeu6aKYO+etlOahiA0K5aaC5L2V6YeN572u5a+G56CB77yfOyLmiZPlvIDorr7nva7vvIzpgInmi6notKbmiLfvvIwK54S25ZCO54K55Ye74oCc6YeN572u5a+G56CB4oCd44CCIg0K6YCA5qy+6ZyA6KaB5aSa5LmF77yfO+S4ieWIsOS6lOS4quW3peS9nOaXpeOAgg0K",
  ],
  [
    "utf-16le with its mark",
    "ru",
    "\t",
    "//4yBD4EPwRABD4EQQQJAD4EQgQyBDUEQgQNAAoAGgQwBDoEIABBBDEEQAQ+BEEEOARCBEwEIAA/BDAEQAQ+BDsETAQ/AAkAIgAeBEIEOgRABD4EOQRCBDUEIAA9BDAEQQRCBEAEPgQ5BDoEOAQsACAAMgRLBDEENQRABDgEQgQ1BAoAQwRHBFEEQgQ9BEMETgQgADcEMAQ/BDgEQQRMBC4AIgANAAoAIQQ6BD4EOwRMBDoEPgQgADQEOwQ4BEIEQQRPBCAAMgQ+BDcEMgRABDAEQgQ/AAkAHgRCBCAAQgRABFEERQQgADQEPgQgAD8ETwRCBDgEIAA0BD0ENQQ5BC4ADQAKAA==",
  ],
  [
    "utf-16be with its mark",
    "ja",
    ",",
    "/v+M6lVPACxW3ntUAA0ACjDRMLkw7zD8MMkwkjDqMLswwzDIMFkwizBrMG//HwAsACKKLVuaMJKVizBEMGYwATCiMKswpjDzMMgwkgAKkHhinjBXMGYwTzBgMFUwRDACACIADQAKj9SR0TBvMGkwbjBPMIkwRDBLMEswijB+MFkwS/8fACxOCWXlMEswiU6UZeUwZzBZMAIADQAK",
  ],
  [
    "utf-16le without its mark",
    "de",
    "\t",
    "RgByAGEAZwBlAAkAQQBuAHQAdwBvAHIAdAANAAoAVwBpAGUAIAD2AGYAZgBuAGUAIABpAGMAaAAgAGQAaQBlACAAVAD8AHIAPwAJAE0AaQB0ACAAZABlAG0AIABTAGMAaABsAPwAcwBzAGUAbAA7ACAAZQByACAAbABpAGUAZwB0ACAA/ABiAGUAcgAgAGQAZQByACAAUwBjAGgAdwBlAGwAbABlAC4ADQAKAFcAYQBzACAAawBvAHMAdABlAHQAIABkAGUAcgAgAEsA5ABzAGUAPwAJAEYA/ABuAGYAIADEAHAAZgBlAGwALAAgAGcAcgD2AN8AZQByAGUAIABhAHUAYwBoACAAdwBlAG4AaQBnAGUAcgAuAA0ACgA=",
  ],
  [
    "utf-32le with its mark",
    "en",
    "|",
    "//4AAHEAAAB1AAAAZQAAAHMAAAB0AAAAaQAAAG8AAABuAAAAfAAAAGEAAABuAAAAcwAAAHcAAABlAAAAcgAAAA0AAAAKAAAAVwAAAGgAAABlAAAAcgAAAGUAAAAgAAAAaQAAAHMAAAAgAAAAdAAAAGgAAABlAAAAIAAAAGMAAABhAAAAZgAAAOkAAAA/AAAAfAAAAE4AAABlAAAAeAAAAHQAAAAgAAAAdAAAAG8AAAAgAAAAdAAAAGgAAABlAAAAIAAAAGIAAABhAAAAbgAAAGsAAAAsAAAAIAAAAG8AAABuAAAAIAAAAHQAAABoAAAAZQAAACAAAABsAAAAZQAAAGYAAAB0AAAAIAAAABMgAAAgAAAAaQAAAHQAAAAZIAAAcwAAACAAAAAcIAAAbwAAAHAAAABlAAAAbgAAAB0gAAAuAAAADQAAAAoAAABXAAAAaAAAAGEAAAB0AAAAIAAAAGQAAABvAAAAZQAAAHMAAAAgAAAAaQAAAHQAAAAgAAAAYwAAAG8AAABzAAAAdAAAAD8AAAB8AAAAIgAAAEEAAABiAAAAbwAAAHUAAAB0AAAAIAAAADUAAAAgAAAArCAAACwAAAAgAAAAIgAAACIAAABtAAAAbwAAAHIAAABlAAAAIAAAAG8AAAByAAAAIAAAAGwAAABlAAAAcwAAAHMAAAAiAAAAIgAAAC4AAAAiAAAADQAAAAoAAAA=",
  ],
  [
    "gb18030",
    "zh",
    ",",
    "zsrM4iy08LC4DQrI57rO1tjWw8PcwuujvywitPK/qsno1sOjrNGh1PHVy7uno6wKyLu687Xju/ehsNbY1sPD3MLrobGhoyINCs3Lv+7Q6NKqtuC+w6O/LMj9tb3O5bj2uaTX98jVoaMNCg==",
  ],
  [
    "gbk",
    "zh",
    "\t",
    "zsrM4gm08LC4DQrI57rO1tjWw8PcwuujvwkitPK/qsno1sOjrNGh1PHVy7uno6wKyLu687Xju/ehsNbY1sPD3MLrobGhoyINCs3Lv+7Q6NKqtuC+w6O/Ccj9tb3O5bj2uaTX98jVoaMNCg==",
  ],
  [
    "big5",
    "zh-tw",
    ",",
    "sN3DRCy1qq7XDQqmcKbzrauzXbFLvVihSCwipbS2fbNdqXehQb/vvtyxYqThoUEKtU2r4cJJwLutq7NdsUu9WKFDIg0KsGi02rvdrW6maKRboUgspFSo7KStrdOkdadApNGhQw0K",
  ],
  [
    "shift_jis",
    "ja",
    ",",
    "jr+W4iyJ8ZOaDQqDcINYg4+BW4NogvCDioNag2KDZ4K3gumCyYLNgUgsIpDdkuiC8IpKgqKCxIFBg0GDSoNFg5ODZ4LwCpFJkfCCtYLEgq2CvoKzgqKBQiINCpXUi+CCzYLHgsyCrYLngqKCqYKpguiC3IK3gqmBSCyOT5P6gqmC54zck/qCxYK3gUINCg==",
  ],
  [
    "euc-jp",
    "ja",
    ";",
    "vMHM5Duy88X6DQql0aW5pe+hvKXJpPKl6qW7pcOlyKS5pOuky6TPoak7IsDfxOqk8rOrpKSkxqGipaKlq6WmpfOlyKTyCsGqwvKkt6TGpK+kwKS1pKShoyINCsrWtuKkz6TJpM6kr6TppKSkq6SrpOqk3qS5pKuhqTu7sMb8pKuk6bjexvykx6S5oaMNCg==",
  ],
  [
    "iso-2022-jp",
    "ja",
    ",",
    "GyRCPEFMZBsoQiwbJEIyc0V6GyhCDQobJEIlUSU5JW8hPCVJJHIlaiU7JUMlSCQ5JGskSyRPISkbKEIsIhskQkBfRGokcjMrJCQkRiEiJSIlKyUmJXMlSCRyGyhCChskQkEqQnIkNyRGJC8kQCQ1JCQhIxsoQiINChskQkpWNmIkTyRJJE4kLyRpJCQkKyQrJGokXiQ5JCshKRsoQiwbJEI7MEZ8JCskaTheRnwkRyQ5ISMbKEINCg==",
  ],
  [
    "euc-kr",
    "ko",
    ",",
    "wfq5riy05LqvDQq68bnQufjIo7imIMDnvLPBpMfPt8G46SC+7ra7sNQgx8+zqr/kPyy8s8GkwLsgv62w7SCw6MGkwLsgvLHFw8fPvLy/5C4NCsivutLAuiC+87i2s6ogsMm4rrOqv+Q/LLvvIMDPv6G8rSC/wCDAzyCwybiztM+02S4NCg==",
  ],
  [
    "windows-1251",
    "ru",
    ";",
    "4u7v8O7xO+7y4uXyDQrK4Oog8eHw7vHo8vwg7+Dw7uv8PzsizvLq8O7p8uUg7eDx8vDu6eroLCDi++Hl8Ojy5Qrz97jy7fP+IOfg7+jx/C4iDQrR6u7r/OruIOTr6PLx/yDi7ufi8ODyPzvO8iDy8Lj1IOTuIO//8ugg5O3l6S4NCg==",
  ],
  [
    "koi8-r",
    "ru",
    "|",
    "18/Q0s/TfM/U18XUDQrrwcsg08LSz9PJ1Ngg0MHSz8zYP3wi79TL0s/K1MUgzsHT1NLPysvJLCDX2cLF0snUxQrV3qPUztXAINrB0MnT2C4iDQrzy8/M2MvPIMTMydTT0SDXz9rX0sHUP3zv1CDU0qPIIMTPINDR1MkgxM7Fyi4NCg==",
  ],
  [
    "windows-1252",
    "en",
    ",",
    "cXVlc3Rpb24sYW5zd2VyDQpXaGVyZSBpcyB0aGUgY2Fm6T8sIk5leHQgdG8gdGhlIGJhbmssIG9uIHRoZSBsZWZ0IJYgaXSScyCTb3BlbpQuIg0KV2hhdCBkb2VzIGl0IGNvc3Q/LCJBYm91dCA1IIAsICIibW9yZSBvciBsZXNzIiIuIg0K",
  ],
  [
    "iso-8859-1",
    "de",
    ";",
    "RnJhZ2U7QW50d29ydA0KV2llIPZmZm5lIGljaCBkaWUgVPxyPzsiTWl0IGRlbSBTY2hs/HNzZWw7IGVyIGxpZWd0IPxiZXIgZGVyIFNjaHdlbGxlLiINCldhcyBrb3N0ZXQgZGVyIEvkc2U/O0b8bmYgxHBmZWwsIGdy9t9lcmUgYXVjaCB3ZW5pZ2VyLg0K",
  ],
  [
    "windows-1250",
    "pl",
    ";",
    "cHl0YW5pZTtvZHBvd2llZJ8NCkphayB6cmVzZXRvd2HmIGhhc7NvPztPdHfzcnogdXN0YXdpZW5pYSBpIHd5Ymllcnoga29udG8sIHByb3N66i4NCklsZSB0cndhIHp3cm90IHBpZW5p6mR6eT87Ik9kIHRyemVjaCBkbyBwaepjaXUgZG5pOyB6Yb/zs+YgZ+qcbLkgamGf8S4iDQo=",
  ],
  [
    "windows-1253",
    "el",
    ";",
    "5fH+9Ofz5zvh8Nzt9Ofz5w0KItD+8iDh6+vc5vkg9O/tIOr55Onq/DsiO8Ht79/u9OUg9OnyIPH16Ozf8+Xp8iDq4ekg5fDp693u9OUg6+/j4fHp4fPs/C4NCiLQ/PPvIOTp4fHq5d8g5yDl8Onz9PHv9t47IjvU8eXp8iDd+fIg8N3t9OUg5+zd8eXyLg0K",
  ],
  [
    "windows-1254",
    "tr",
    ";",
    "c29ydTtjZXZhcA0K3mlmcmVtaSBuYXP9bCBz/Wb9cmxhcv1tPztBeWFybGFy/SBh5/1uIHZlIGhlc2Fi/W79ev0gc2XnaW4uDQrdYWRlIG5lIGthZGFyIHP8cmVyPzsi3OcgaWxlIGJl/iBp/iBn/G78OyBkZfBp/mViaWxpci4iDQo=",
  ],
  [
    "windows-1255",
    "he",
    ",",
    "+eDs5Cz6+eXh5A0K4OnqIO7g9PHp7SDx6fHu5D8s9OX65+ntIOD6IOTk4uP45fog5eHl5/jp7SDn+eHl7y4NCuvu5CDm7u8g7OX35yDk5+b4IOvx9Ok/LPns5fnkIPLjIOfu6fnkIOnu6e0uDQo=",
  ],
  [
    "windows-1256",
    "ar",
    ",",
    "08TH4SzM5sfIDQrf7d0gw9rtzyDK2u3t5CDf4ePJIMfh49Hm0b8sx93KzSDH4cXaz8fPx8og5sfOytEgx+HN08fILg0K3+Mg7dPK29HeIMfTytHPx88gx+HjyOHbvyzj5CDL4cfLySDF4ewgzuPTySDD7cfjLg0K",
  ],
  [
    "windows-874",
    "th",
    ",",
    "pNO20sEspNO1zboNCqjQw9Xgq+e1w8vRyrzo0rnktOnNwujSp+TDLOC71LSh0sO10emnpOjS4cXpx+DF182hutGtqtUNCqTXueCn1Lnjqungx8XSudK54Lfo0uTDLMrSwbbWp8vp0sfRubfTodLDDQo=",
  ],
];

export const ENCODED_FILES: EncodedFile[] = FILES.map(([name, language, delimiter, base64]) => ({
  name,
  language,
  delimiter,
  bytes: Buffer.from(base64, "base64"),
  pairs: (PAIRS[language] ?? []).map(([question, answer]) => ({ question, answer })),
}));
