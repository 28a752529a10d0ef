// The Content-Security-Policy forbids eval: zod must not even try it, because the attempt alone is reported.
globalThis.__zod_globalConfig = { jitless: true };

// Runs before the first paint, so that a chosen theme or language does not flash.
try {
  const { theme, language } = JSON.parse(localStorage.getItem("signalbox.console") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (language === "en" || language === "zh-CN") document.documentElement.lang = language;
} catch {
  // Storage that is blocked or spoilt: the system's theme and the browser's language are used.
}
