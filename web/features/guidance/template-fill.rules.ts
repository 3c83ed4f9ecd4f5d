/** The first part of a filled template, in characters, that is shown while it is filled. */
export const previewLength = 500;

/** One thing to fill in. A placeholder that stands in several places is one field. */
export type TemplateField = {
  key: string;
  label: string;
  /** The heading it stands under, as a sentence; empty below the title of the whole. */
  group: string;
};

/** Typed values by the key of their field. */
export type TemplateValues = Readonly<Record<string, string>>;

const placeholder = /\[([^[\]\n]+)\]/g;
const blank = /^([^:[\]\n]+): _{4,}$/;
/** Fields that are signed by hand, not typed. */
const byHand = /^(Signature|Date of signature)$/;

/** The fields that a template asks for, in the order of its text. */
export function fieldsOf(content: string): TemplateField[] {
  const fields = new Map<string, TemplateField>();
  const add = (field: TemplateField) => {
    if (!fields.has(field.key)) fields.set(field.key, field);
  };
  eachLine(content, (line, heading) => {
    const label = blankIn(line);
    if (label !== undefined) add({ key: keyOfBlank(heading, label), label, group: sentence(heading) });
    for (const [key, name = ''] of line.matchAll(placeholder)) add({ key, label: name, group: sentence(heading) });
    return line;
  });
  return [...fields.values()];
}

/** The text with the typed values. Unfilled places stay as they were: in brackets, or blank. */
export function fillTemplate(content: string, values: TemplateValues): string {
  return eachLine(content, (line, heading) => {
    const label = blankIn(line);
    if (label === undefined) return line.replace(placeholder, (key) => typed(values, key) || key);
    const value = typed(values, keyOfBlank(heading, label));
    return value ? `${label}: ${value}` : line;
  });
}

/** The first characters of a text, never half of one. */
export function previewOf(text: string): string {
  return [...text].slice(0, previewLength).join('');
}

/** True if a line is a heading: it has letters, and all of them are capitals. A placeholder in it does not count. */
export function isHeading(line: string): boolean {
  const words = line.replace(placeholder, '');
  return /\p{Lu}/u.test(words) && words === words.toUpperCase();
}

function eachLine(content: string, change: (line: string, heading: string) => string): string {
  let heading = '';
  return content
    .split('\n')
    .map((line) => {
      // A heading with a placeholder is the title of the whole, and its words end in the air without the name.
      if (isHeading(line)) heading = line.replace(placeholder, '') === line ? line.trim() : '';
      return change(line, heading);
    })
    .join('\n');
}

/** The label of a blank that is typed; undefined for any other line. */
function blankIn(line: string): string | undefined {
  const label = blank.exec(line)?.[1];
  return label === undefined || byHand.test(label) ? undefined : label;
}

function keyOfBlank(heading: string, label: string): string {
  return `${heading}: ${label}`;
}

function typed(values: TemplateValues, key: string): string {
  return Object.hasOwn(values, key) ? (values[key] ?? '').trim() : '';
}

/** `6. WHAT I OWN` as `6. What I own`. */
function sentence(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\p{Ll}/u, (letter) => letter.toUpperCase())
    .replace(/\bi\b/g, 'I');
}
