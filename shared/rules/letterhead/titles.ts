/** Titles and ranks, and short forms of first names. Each stands before a name, with or without a full stop. */
const titles = words(`
  st ste dr mr mrs ms mx miss sir dame lady lord prof professor rev revd reverend fr father br brother sr sister jr canon
  rabbi imam hon rt cllr councillor ald baron baroness earl countess duke duchess judge justice
  capt captain lt col colonel maj major gen general sgt cpl pte cdr wg sqn adm admiral brig cmdr
  wm jas jos geo chas thos robt edw benj
`);

/** Words for kin, and words that stand before a name or a word for kin. */
const kin = words(`
  mum mummy mom mam mammy mama mamma ma mother dad daddy da pa papa father tad
  nan nana nanna nanny nain gran granny grandma grandmother grandad granddad grandpa grandfather gramps taid mamgu tadcu pops
  uncle auntie aunty aunt anti wncwl cousin cuz bro brother sis sister son daughter godmother godfather stepmum stepdad
  nani dadi bibi baba amma abba
  the my our dear dearest darling sweet little big old young best
`);

/** Words for several people. */
const groups = words('family families household twins kids children boys girls brothers sisters team friends lads');

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** True if the word is a title, a rank or a short form that stands before a name. */
export function isTitle(word: string): boolean {
  return titles.has(plain(word));
}

/** True if the word alone does not address a person, as in `Uncle Bob` and `The Smiths`. */
export function isTitleOrKin(word: string): boolean {
  return isTitle(word) || kin.has(plain(word));
}

export function isGroup(word: string): boolean {
  return groups.has(plain(word));
}

function plain(word: string): string {
  return word.toLowerCase().replace(/\.$/, '');
}
