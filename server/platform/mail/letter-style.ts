/**
 * The colours of web/styles/tokens.css, light then dark. A mail can't use variables, so they are repeated: inline,
 * and as classes for clients with a dark mode.
 */
const light = {
  page: '#f3f0e7',
  sheet: '#ffffff',
  ink: '#14302a',
  quiet: '#56665f',
  rule: '#d3cebe',
  action: '#1b4f43',
  onAction: '#ffffff',
};
const dark = {
  page: '#0f1714',
  sheet: '#19231f',
  ink: '#ece7da',
  quiet: '#9aa69d',
  rule: '#2e3b35',
  action: '#c3dcc9',
  onAction: '#0f1f19',
};

export const colours = { light, dark };

/** No mail client fetches our fonts, so these are the faces a machine has that come nearest to Newsreader and Source Sans. */
const serif = "'Iowan Old Style','Palatino Linotype',Palatino,Georgia,serif";
const sans = "'Source Sans 3','Segoe UI',system-ui,-apple-system,'Helvetica Neue',Arial,sans-serif";

export const styles = {
  body: `margin:0;padding:0;background-color:${light.page};-webkit-text-size-adjust:100%;text-size-adjust:100%`,
  page: `background-color:${light.page}`,
  gutter: 'padding:32px 16px 40px',
  column: 'width:100%;max-width:560px;margin:0 auto',
  wordmark: `padding:0 0 12px;font-family:${serif};font-size:24px;line-height:1.2;letter-spacing:-.01em;color:${light.ink};text-align:left`,
  thickRule: `height:3px;font-size:0;line-height:0;background-color:${light.ink}`,
  ruleGap: 'height:3px;font-size:0;line-height:0',
  thinRule: `height:1px;font-size:0;line-height:0;background-color:${light.ink}`,
  sheet: `padding:32px 28px 30px;background-color:${light.sheet};font-family:${serif};font-size:18px;line-height:1.6;color:${light.ink};text-align:left`,
  paragraph: 'margin:0 0 18px',
  note: `margin:0 0 22px;padding:0 0 18px;border-bottom:1px solid ${light.rule};font-family:${sans};font-size:16px;line-height:1.5`,
  list: 'margin:0 0 18px;padding:0 0 0 22px',
  item: 'margin:0 0 6px',
  facts: 'margin:0 0 18px;width:100%',
  factLabel: `padding:8px 16px 8px 0;border-bottom:1px solid ${light.rule};font-family:${sans};font-size:15px;line-height:1.5;color:${light.quiet};text-align:left;vertical-align:baseline;font-weight:400;width:30%`,
  factValue: `padding:8px 0;border-bottom:1px solid ${light.rule};text-align:left;vertical-align:baseline`,
  link: `color:${light.action};text-decoration:underline`,
  buttonTable: 'margin:26px 0 14px',
  buttonCell: `background-color:${light.action};border-radius:6px;mso-padding-alt:14px 26px`,
  button: `display:inline-block;padding:14px 26px;font-family:${sans};font-size:17px;font-weight:600;line-height:1.3;color:${light.onAction};text-decoration:none;border-radius:6px`,
  address: `margin:0 0 24px;font-family:${sans};font-size:14px;line-height:1.5;color:${light.quiet}`,
  addressLink: `color:${light.quiet};text-decoration:underline;word-break:break-all`,
  foot: `padding:20px 0 0;font-family:${sans};font-size:14px;line-height:1.55;color:${light.quiet};text-align:left`,
  footLink: `color:${light.quiet};text-decoration:underline`,
  preheader:
    'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all;font-size:1px;line-height:1px',
} as const;

/** Rules for a dark window. `!important` because the inline style would win otherwise. */
export const darkStyle = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background-color:${dark.page}!important}
.sheet{background-color:${dark.sheet}!important;color:${dark.ink}!important}
.ink{color:${dark.ink}!important}
.bar{background-color:${dark.ink}!important}
.quiet{color:${dark.quiet}!important}
.line{border-color:${dark.rule}!important}
.link{color:${dark.action}!important}
.key{background-color:${dark.action}!important}
.key-text{color:${dark.onAction}!important}
}`;
