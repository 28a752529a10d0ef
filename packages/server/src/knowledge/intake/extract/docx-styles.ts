import { readXmlTags } from "./xml-tags.ts";

export interface ParagraphStyle {
  /** 1 is the highest; undefined for text. */
  headingLevel: number | undefined;
  isContents: boolean;
}

interface WrittenStyle {
  name: string;
  basedOn: string | undefined;
  outlineLevel: number | undefined;
}

const BASES_MAX = 16;

/** Word keeps English names for its own styles in every language; others inherit from them or state an outline level. */
export function readDocxStyles(xml: string | undefined): (styleId: string) => ParagraphStyle {
  const styles = new Map<string, WrittenStyle>();
  let current: WrittenStyle | undefined;
  readXmlTags(xml ?? "", {
    open(name, attributes) {
      const value = attributes["val"];
      if (name === "style") {
        current = { name: "", basedOn: undefined, outlineLevel: undefined };
        if (attributes["styleId"] !== undefined) styles.set(attributes["styleId"], current);
      } else if (current === undefined || value === undefined) return;
      else if (name === "name") current.name = value.toLowerCase();
      else if (name === "basedOn") current.basedOn = value;
      else if (name === "outlineLvl") current.outlineLevel = Number(value);
    },
    text: () => {},
    close(name) {
      if (name === "style") current = undefined;
    },
  });
  const known = new Map<string, ParagraphStyle>();
  return (styleId) => {
    const cached = known.get(styleId);
    if (cached !== undefined) return cached;
    const style = resolve(styles, styleId);
    known.set(styleId, style);
    return style;
  };
}

function resolve(styles: Map<string, WrittenStyle>, styleId: string): ParagraphStyle {
  let id: string | undefined = styleId;
  for (let bases = 0; id !== undefined && bases < BASES_MAX; bases += 1) {
    const style: WrittenStyle | undefined = styles.get(id);
    const name = style?.name ?? id.toLowerCase();
    const heading = /^heading\s?([1-9])$/.exec(name)?.[1];
    if (heading !== undefined) return { headingLevel: Number(heading), isContents: false };
    if (name === "title") return { headingLevel: 1, isContents: false };
    if (/^toc(?: heading|\s?[1-9])/.test(name)) return { headingLevel: undefined, isContents: true };
    if (style?.outlineLevel !== undefined && style.outlineLevel < 9)
      return { headingLevel: style.outlineLevel + 1, isContents: false };
    id = style?.basedOn;
  }
  return { headingLevel: undefined, isContents: false };
}

/** Where the hyperlinks of a part lead, by their id; only addresses on the web. */
export function readDocxLinks(xml: string | undefined): Map<string, string> {
  const links = new Map<string, string>();
  readXmlTags(xml ?? "", {
    open(name, { Id, Target, TargetMode }) {
      if (name !== "Relationship" || TargetMode !== "External") return;
      if (Id !== undefined && Target !== undefined && /^https?:\/\//i.test(Target)) links.set(Id, Target);
    },
    text: () => {},
    close: () => {},
  });
  return links;
}
