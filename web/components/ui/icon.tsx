/** Path data of each icon (SVG 2, section 9.3). */
const paths = {
  pen: 'M4 20l1.2-4.6L16.6 4a2 2 0 0 1 2.8 0l.6.6a2 2 0 0 1 0 2.8L8.6 18.8 4 20ZM14.5 6.2l3.3 3.3',
  'file-up': 'M6 3.5h8l4.5 4.5v12.5H6ZM14 3.5V8h4.5M12.2 18v-6.5M9.7 14l2.5-2.5 2.5 2.5',
  'person-add':
    'M6.3 8a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0 -7.4 0M3 20c.5-4 3.3-6.5 7-6.5s6.5 2.5 7 6.5M18.5 5v6M15.5 8h6',
  person: 'M8.3 8a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0 -7.4 0M5 20c.5-4 3.3-6.5 7-6.5s6.5 2.5 7 6.5',
  check: 'M4.5 12.5l5 5L20 6.5',
  clip: 'M19 11.5l-7.3 7.3a4.3 4.3 0 0 1-6.1-6.1l8-8a3 3 0 0 1 4.2 4.2l-7.7 7.7a1.5 1.5 0 0 1-2.1-2.1l6.7-6.7',
  microphone: 'M12 3.5a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0v-5a3 3 0 0 1 3-3ZM5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3M8.5 21h7',
  print: 'M7 9V3.5h10V9M7 17H4V9h16v8h-3M7 14h10v6.5H7Z',
  download: 'M12 4v11M7.5 11l4.5 4.5L16.5 11M4.5 19.5h15',
  warning: 'M12 4 2.8 20h18.4L12 4ZM12 10v5M12 17.4v.2',
  info: 'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0 -17 0M12 11v5.5M12 7.6v.2',
  eye: 'M2.5 12c2.5-4.3 5.7-6.5 9.5-6.5s7 2.2 9.5 6.5c-2.5 4.3-5.7 6.5-9.5 6.5S5 16.3 2.5 12ZM9.2 12a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0 -5.6 0',
  play: 'M8.5 5.5l9.5 6.5-9.5 6.5Z',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  close: 'M5.5 5.5l13 13M18.5 5.5l-13 13',
  'arrow-left': 'M19.5 12h-15M10.5 6l-6 6 6 6',
  'arrow-right': 'M4.5 12h15M13.5 6l6 6-6 6',
  'chevron-down': 'M5.5 9l6.5 6.5L18.5 9',
  menu: 'M4 7.5h16M4 16.5h16',
  search: 'M4 10.5a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0M15.3 15.3l5.2 5.2',
  trash: 'M4 6.5h16M9 6.5V4h6v2.5M6.5 6.5l.9 14h9.2l.9-14M10.2 10.5l.3 6M13.8 10.5l-.3 6',
  letter: 'M3.5 6h17v12.5h-17ZM3.5 6.5l7.2 5.6q1.3 1 2.6 0l7.2-5.6',
  scales: 'M12 4v16.5M7.5 20.5h9M5 6.5h14M5.5 6.5l-3 7h6ZM18.5 6.5l-3 7h6ZM2.5 13.5q3 3.4 6 0M15.5 13.5q3 3.4 6 0',
  coins:
    'M3.5 8.5c0-1.7 2.7-3 6-3s6 1.3 6 3-2.7 3-6 3-6-1.3-6-3ZM3.5 8.5v6.5c0 1.7 2.7 3 6 3M15.5 8.5v2M9.5 15.5c0-1.7 2.5-3 5.5-3s5.5 1.3 5.5 3v2.5c0 1.7-2.5 3-5.5 3s-5.5-1.3-5.5-3Z',
  list: 'M9 6h11.5M9 12h11.5M9 18h11.5M4.5 6h.2M4.5 12h.2M4.5 18h.2',
  clock: 'M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0 -17 0M12 7v5.3l3.5 2.2',
  file: 'M6 3.5h8l4.5 4.5v12.5H6ZM14 3.5V8h4.5M9 12.5h6.5M9 16h6.5',
  house: 'M3.5 12L12 4.5l8.5 7.5M6 10v10h12V10M10 20v-5.5h4V20',
  case: 'M3.5 8h17v11.5h-17ZM8.5 8V5h7v3M3.5 13h17M12 12v2.2',
  lock: 'M6.5 11h11v8.5h-11ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  cross: 'M9.5 4h5v5.5H20v5h-5.5V20h-5v-5.5H4v-5h5.5Z',
} satisfies Record<string, string>;

export type IconName = keyof typeof paths;

/** A sign of 24 units, drawn in the colour of the words beside it. It is never the only thing that says something. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="ic" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
