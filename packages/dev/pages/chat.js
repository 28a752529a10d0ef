import { chosenLanguage, speak } from "/desk/page/elements.js";
import { linkPages } from "./navigation.js";
import { wordsIn } from "./words.js";

const language = chosenLanguage();
const words = wordsIn(language);
speak(language, words);
const serviceUrl = document.querySelector("meta[name=service-url]").content;
linkPages(words, serviceUrl, language);

// Each language has an agent of its own, and so a conversation of its own.
const chat = document.createElement("signalbox-chat");
const attributes = {
  id: language,
  lang: language,
  mode: "page",
  heading: words.shop,
  questions: words.questions.join(" | "),
  "token-url": `/token?language=${language}`,
  "api-host": serviceUrl,
};
for (const [name, value] of Object.entries(attributes)) chat.setAttribute(name, value);
document.querySelector("#chat").append(chat);
