/** A picture that has not told its size by then is shown without a place kept for it. */
const waitMsMax = 1_000;

/**
 * How large a picture is that lies at an address of this page; null if this browser can't show it. It is not drawn:
 * the pictures of a telephone, all drawn at once, are more than its memory holds.
 */
export function pictureSizeAt(href: string): Promise<{ width: number; height: number } | null> {
  const image = new Image();
  // What can't draw pictures tells of none.
  if (!('decode' in image)) return Promise.resolve(null);
  return new Promise((resolve) => {
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => resolve(null);
    setTimeout(() => resolve(null), waitMsMax);
    image.src = href;
  });
}
