/**
 * Faces for scripts beyond Latin, Greek, Cyrillic, Armenian and Georgian, in order of preference. Each is a package of
 * Fontsource whose files hold a part of its characters. `files` names these parts, or takes all that the package numbers.
 */
export type ScriptFace = { package: string; files: readonly string[] | 'numbered' };

const family = (name: `@fontsource/${string}`) => name.replace('@fontsource/', '');
const script = (name: `@fontsource/${string}`, file: string): ScriptFace => ({ package: family(name), files: [file] });

export const emojiFace = family('@fontsource/noto-emoji');
/** Faces whose marks need more room above and below a line than Latin letters. */
export const tallFaces: readonly string[] = [
  'noto-naskh-arabic',
  'noto-serif-devanagari',
  'noto-serif-bengali',
  'noto-serif-gujarati',
  'noto-sans-gurmukhi',
  'noto-serif-tamil',
  'noto-serif-thai',
];
export const japaneseFace = family('@fontsource/biz-udpmincho');

export const scriptFaces: readonly ScriptFace[] = [
  script('@fontsource/noto-naskh-arabic', 'arabic'),
  script('@fontsource/noto-serif-hebrew', 'hebrew'),
  script('@fontsource/noto-serif-devanagari', 'devanagari'),
  script('@fontsource/noto-serif-bengali', 'bengali'),
  script('@fontsource/noto-serif-gujarati', 'gujarati'),
  script('@fontsource/noto-sans-gurmukhi', 'gurmukhi'),
  script('@fontsource/noto-serif-tamil', 'tamil'),
  script('@fontsource/noto-serif-thai', 'thai'),
  { package: family('@fontsource/noto-sans-symbols-2'), files: ['symbols', 'math', 'braille'] },
  { package: family('@fontsource/gowun-batang'), files: 'numbered' },
  { package: family('@fontsource/cactus-classical-serif'), files: 'numbered' },
  // Simplified characters that the face above lacks.
  { package: family('@fontsource/zcool-xiaowei'), files: 'numbered' },
  { package: japaneseFace, files: 'numbered' },
  { package: emojiFace, files: ['emoji'] },
];
