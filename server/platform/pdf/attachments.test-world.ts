import { getDocumentProxy } from 'unpdf';

/** Returns the text files that are attached to a PDF, by their names. */
export async function attachmentsOf(bytes: Uint8Array): Promise<Record<string, string>> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const texts: Record<string, string> = {};
  for (const [id, { filename }] of (await pdf.getAttachments()) ?? []) {
    const content = await pdf.getAttachmentContent(id);
    texts[filename] = content === null ? '' : new TextDecoder().decode(content);
  }
  return texts;
}

/** Faces of Han characters in a PDF. */
export function hanFacesOf(pdf: Uint8Array): string[] {
  const found = Buffer.from(pdf)
    .toString('latin1')
    .matchAll(/BaseFont \/[A-Z]+\+(BIZUDPMincho|CactusClassicalSerif)/g);
  return [...new Set([...found].map(([, name = '']) => name))].sort();
}
