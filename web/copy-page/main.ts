import { type CopySeal, copyDataName } from '#shared/rules/exports/copy-format.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { canSealLetters } from '#web/lib/sealing/can-seal.ts';
import { vaultElements } from './draw-vault.ts';
import { firstCommentOf, sentenceOf } from './elements.ts';
import { type Items, openItem, openSeal } from './open-copy.ts';
import { takePieces } from './pieces.ts';
import type { Vault } from './vault.ts';

/* Script of a copy of a vault. It runs in the page alone, for decades, and asks for nothing. */

const at = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const form = at<HTMLFormElement>('form');
const input = at<HTMLInputElement>('passphrase');
const press = at<HTMLButtonElement>('open');
const said = at('said');

const wrong = 'This passphrase does not open this file. Check the spelling and try again.';
const cut = 'This file is incomplete: its end is missing. Copy it again from where you have it.';
const cannotOpen =
  'This browser can’t open sealed files. Try a newer browser. Or read the first lines of this file in a text editor: they say how to open it with another program.';

async function open(items: Items): Promise<void> {
  const seal: CopySeal = JSON.parse(at('seal').textContent ?? '');
  const key = await openSeal(seal, input.value);
  if (!key) {
    said.textContent = wrong;
    input.select();
    return;
  }
  const text = await openItem(key, copyDataName, items);
  const vault: Vault = JSON.parse(await text.text());
  const { firstName, lastName, email } = vault.account;
  const owner = [firstName, lastName].filter(Boolean).join(' ') || email;
  const title = at('title');
  title.textContent = `The vault of ${owner}`;
  const opened = { key, items, passphrase: input.value, further: new Map() };
  at('vault').append(...vaultElements(vault, text, opened));
  at('vault').hidden = false;
  form.remove();
  title.tabIndex = -1;
  title.focus();
}

async function begin(): Promise<void> {
  at('how').textContent = firstCommentOf(document);
  at<HTMLInputElement>('show').addEventListener('change', ({ target }) => {
    input.type = (target as HTMLInputElement).checked ? 'text' : 'password';
  });
  let isReady = false;
  let items: Items = new Map();
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!isReady || press.disabled) return;
    press.disabled = true;
    said.textContent = 'Opening…';
    await open(items).catch((error: unknown) => {
      said.textContent = sentenceOf(error);
    });
    press.disabled = false;
  });
  const taken = await takePieces(document, (bytes) => {
    said.textContent = `Reading the file, ${fileSize(bytes)} so far…`;
  });
  items = taken.items;
  if (!canSealLetters()) said.textContent = cannotOpen;
  else if (taken.isWhole) {
    isReady = true;
    said.textContent = '';
    press.disabled = false;
  } else said.textContent = cut;
}

begin();
