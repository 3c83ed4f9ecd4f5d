/** A picture that has not told its size by then is shown without a place kept for it. */
const waitMsMax = 1_000;

/**
 * Size of a picture at an address of this page; null if this browser can't show it. The picture is not drawn, because
 * several phone pictures at once exceed the memory.
 */
export function pictureSizeAt(href: string): Promise<{ width: number; height: number } | null> {
  const image = new Image();
  // Environments without image decoding report no size.
  if (!('decode' in image)) return Promise.resolve(null);
  return new Promise((resolve) => {
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => resolve(null);
    setTimeout(() => resolve(null), waitMsMax);
    image.src = href;
  });
}
