/** Time for a browser to start a download before the bytes are freed. */
const keepForMs = 60_000;

/** Saves a file among the downloads. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), keepForMs);
}
