import { Tokenizer } from "htmlparser2";

export interface XmlHandler {
  /** Names come without their prefix: documents of one kind may choose it freely. */
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Tags and text of an XML part in their order. No tree is built, no entity but the five of XML is known. */
export function readXmlTags(xml: string, handler: XmlHandler): void {
  let name = "";
  let attributes: Record<string, string> = {};
  let attribute = "";
  let value = "";
  const local = (start: number, end: number) => {
    const written = xml.slice(start, end);
    return written.slice(written.indexOf(":") + 1);
  };
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: true },
    {
      onopentagname(start, end) {
        name = local(start, end);
        attributes = {};
      },
      onattribname(start, end) {
        attribute = local(start, end);
        value = "";
      },
      onattribdata: (start, end) => void (value += xml.slice(start, end)),
      onattribentity: (codepoint) => void (value += String.fromCodePoint(codepoint)),
      onattribend: () => void (attributes[attribute] = value),
      onopentagend: () => handler.open(name, attributes),
      onselfclosingtag() {
        handler.open(name, attributes);
        handler.close(name);
      },
      onclosetag: (start, end) => handler.close(local(start, end)),
      ontext: (start, end) => handler.text(xml.slice(start, end)),
      ontextentity: (codepoint) => handler.text(String.fromCodePoint(codepoint)),
      oncdata: (start, end, offset) => handler.text(xml.slice(start, end - offset)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  );
  tokenizer.write(xml);
  tokenizer.end();
}
