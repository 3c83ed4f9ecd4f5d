/**
 * Changes a page as the translation of Chrome and Edge does: puts `<font><font>…</font></font>` in place of each text, also of texts
 * that are added later. The words stay the same, so a journey finds them. Runs in the page, which it does not ask for anything else.
 */
export function translatePage(): void {
  const leftAlone = 'font, noscript, script, style, svg, template, textarea, title, [translate=no]';

  function translate(node: Node): void {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const texts = node instanceof Text ? [node] : [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      if (text.data.trim() === '' || !text.isConnected || text.parentElement?.closest(leftAlone)) continue;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.textContent = text.data;
      outer.append(inner);
      text.replaceWith(outer);
    }
  }

  // The browser offers a translation once the page is there.
  addEventListener('load', () => {
    translate(document.body);
    new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) translate(node);
    }).observe(document.body, { childList: true, subtree: true });
  });
}
