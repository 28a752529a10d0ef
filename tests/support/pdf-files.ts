import { deflateSync } from "node:zlib";

export type PdfLine = { text: string; size?: number; gap?: number };

/** A PDF of plain Latin text, each line in its size. */
export function pdfOf(pages: PdfLine[][]): Buffer {
  return pdfOfStreams(pages.map(pageStream));
}

function pageStream(lines: PdfLine[]): Buffer {
  let y = 780;
  const written = lines.map(({ text, size = 10, gap = size * 1.2 }) => {
    y -= gap;
    const escaped = text.replace(/[\\()]/g, "\\$&");
    return `BT /F1 ${size} Tf 72 ${y.toFixed(1)} Td (${escaped}) Tj ET`;
  });
  return Buffer.from(written.join("\n"), "latin1");
}

/** One page for each content stream, packed; what is in a stream is nobody's business. */
export function pdfOfStreams(streams: Buffer[]): Buffer {
  const objects: Buffer[] = [];
  const add = (body: string | Buffer) => objects.push(Buffer.from(body));
  const pageIds = streams.map((_, index) => 4 + index * 2);
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(`<< /Type /Pages /Count ${streams.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  for (const [index, stream] of streams.entries()) {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
    );
    const packed = deflateSync(stream);
    add(
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from("\nendstream"),
      ]),
    );
  }
  const pieces: Buffer[] = [Buffer.from("%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n", "latin1")];
  const offsets: number[] = [];
  let offset = pieces[0]!.length;
  for (const [index, body] of objects.entries()) {
    const object = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from("\nendobj\n")]);
    offsets.push(offset);
    offset += object.length;
    pieces.push(object);
  }
  const entries = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  pieces.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${offset}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}
