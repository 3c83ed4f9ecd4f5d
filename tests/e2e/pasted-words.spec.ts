import { settle } from './support/people.ts';
import { expect, expectToast, expectWellMade, test } from './support/test.ts';

test('an owner pastes addresses and a number as telephones copy them, and reads why a landline is refused', async ({
  page,
  site,
  browser,
}) => {
  await settle(page, site);
  await page.goto(`${site.url}/contacts`);
  await page
    .getByRole('button', { name: /Add (Trusted )?Contact/ })
    .first()
    .click();
  const form = page.getByRole('dialog');
  const add = form.getByRole('button', { name: /^Add/ });
  await form.getByLabel('Full Name *').fill('\u200b');
  await form.getByLabel('Email Address *').fill('jürgen@mail.example');
  await form.getByLabel('Phone').fill('020 7946 0018');
  await add.click();
  await expect(form.getByText('Required')).toBeVisible();
  await expect(form.getByText('We can’t send email to an address with “ü” before the @.')).toBeVisible();

  await form.getByLabel('Full Name *').fill('Mum & Dad');
  await form.getByLabel('Email Address *').fill('Pat O’Shea <Pat.O’Shea@müller.example>');
  await add.click();
  await expect(form.getByText('We can’t text a landline. Please enter a mobile number')).toBeVisible();
  await expectWellMade(page);

  await form.getByLabel('Phone').fill('\u202a+44 (0)7700 900123\u202c (mobile)');
  await add.click();
  await expectToast(page, 'Contact Added');
  await expect(page.getByText("pat.o'shea@xn--mller-kva.example").first()).toBeVisible();
  await expect(page.getByText('+44 (0)7700 900123').first()).toBeVisible();
  expect((await site.mailTo("pat.o'shea@xn--mller-kva.example", /./)).text).toContain('Hello Mum & Dad,');

  const context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: false });
  const plain = await context.newPage();
  await plain.goto(`${site.url}/login`);
  await plain.getByLabel('Email').fill('Sam <sam@ashworth.example>');
  await plain.getByLabel('Password', { exact: true }).fill('twelve lemons in a bowl');
  await plain.getByRole('button', { name: 'Sign In', exact: true }).click();
  await expect(plain.getByRole('heading', { name: 'Your vault needs scripts' })).toBeVisible();
  await context.close();
});
