/**
 * One line of a CSV file (RFC 4180). A cell that a spreadsheet would take for a formula is given an apostrophe first
 * (OWASP, "CSV injection"): the name a browser gives itself is anybody's text.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) || harmless !== text ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
