/**
 * Keeps a page intact while a browser translates it. Chrome and Edge replace each text by a `<font>`. React still
 * refers to the text. It throws when it removes the text or inserts a node before it, and a change of the text stays
 * invisible. Source: https://github.com/facebook/react/issues/11538. The guard records the texts that a `<font>`
 * replaced, and restores them when React needs one. The translator then finds a new text and translates it.
 */

const originals = new WeakMap<Node, Text[]>();
const wrappers = new WeakMap<Node, ChildNode>();
let observer: MutationObserver | undefined;

/** Notes replaced texts from now on, and guards the calls by which React moves and removes nodes. */
export function guardTranslatedPage(): void {
  observer = new MutationObserver(note);
  observer.observe(document.body, { childList: true, subtree: true });
  const { appendChild, insertBefore, removeChild } = Node.prototype;
  Node.prototype.appendChild = function <Child extends Node>(child: Child): Child {
    if (wrappers.has(child)) putBack(child);
    return appendChild.call(this, child) as Child;
  };
  Node.prototype.removeChild = function <Child extends Node>(child: Child): Child {
    if (child.parentNode !== this) putBack(child);
    return child.parentNode === this ? (removeChild.call(this, child) as Child) : child;
  };
  Node.prototype.insertBefore = function <Child extends Node>(child: Child, next: Node | null): Child {
    if (wrappers.has(child)) putBack(child);
    if (next && next.parentNode !== this) putBack(next);
    return insertBefore.call(this, child, next?.parentNode === this ? next : null) as Child;
  };
}

/** Puts the original texts back into a part of the page. True if any of them was translated. */
export function restoreOriginals(part: ParentNode): boolean {
  note(observer?.takeRecords() ?? []);
  const translated = [...part.querySelectorAll('font')].filter((element) => originals.has(element));
  for (const wrapper of translated) restore(wrapper);
  return translated.length > 0;
}

function note(records: readonly MutationRecord[]): void {
  const added = new Set(records.flatMap(({ addedNodes }) => [...addedNodes].filter(isWrapper)));
  for (const { type, target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    if (type === 'characterData' && !target.isConnected) putBack(target);
    const near = [...addedNodes, previousSibling, nextSibling].filter(isWrapper).filter((node) => added.has(node));
    // A translator may also put the words of several texts into one element.
    const wrapper = near.find((node) => !originals.has(node)) ?? near[0];
    for (const node of removedNodes) if (wrapper && node instanceof Text) noteReplaced(node, wrapper);
  }
}

function noteReplaced(text: Text, wrapper: ChildNode): void {
  wrappers.set(text, wrapper);
  originals.set(wrapper, [...(originals.get(wrapper) ?? []), text]);
  // React changes a text in place, even if it is no longer in the page.
  observer?.observe(text, { characterData: true });
}

/** Puts a node back that a translator replaced by a `<font>` or moved into one. */
function putBack(node: Node): void {
  note(observer?.takeRecords() ?? []);
  const wrapper = wrappers.get(node);
  if (wrapper) restore(wrapper);
  let outermost: Node = node;
  while (isWrapper(outermost.parentNode)) outermost = outermost.parentNode;
  if (outermost !== node) (outermost as ChildNode).replaceWith(node);
}

function restore(wrapper: ChildNode): void {
  const texts = originals.get(wrapper) ?? [];
  wrapper.replaceWith(...texts);
  originals.delete(wrapper);
  for (const text of texts) wrappers.delete(text);
}

function isWrapper(node: Node | null): node is ChildNode {
  return node?.nodeName === 'FONT';
}
