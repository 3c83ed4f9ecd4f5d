import { act, fireEvent, render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Player } from './player.tsx';

const play = 'Play: Dad, reading it to you';
const pause = 'Pause: Dad, reading it to you';
const media = HTMLMediaElement.prototype;

/** Effects of a press in a browser, which jsdom lacks. */
beforeEach(() => {
  vi.spyOn(media, 'play').mockImplementation(async function (this: HTMLMediaElement) {
    Object.defineProperty(this, 'paused', { value: false, configurable: true });
    fireEvent(this, new Event('play'));
  });
  vi.spyOn(media, 'pause').mockImplementation(function (this: HTMLMediaElement) {
    Object.defineProperty(this, 'paused', { value: true, configurable: true });
    fireEvent(this, new Event('pause'));
  });
});
afterEach(() => vi.restoreAllMocks());

function open() {
  render(<Player src="/voice" title="Dad, reading it to you" />);
  return document.querySelector('audio') as HTMLAudioElement;
}
const button = (name: string) => screen.getByRole('button', { name });
const line = () => screen.queryByRole('slider', { name: 'Where to listen from: Dad, reading it to you' });
function measured(audio: HTMLAudioElement, seconds: number) {
  Object.defineProperty(audio, 'duration', { value: seconds, configurable: true });
  fireEvent(audio, new Event('durationchange'));
}
function heard(audio: HTMLAudioElement, seconds: number) {
  audio.currentTime = seconds;
  fireEvent(audio, new Event('timeupdate'));
}

describe('The player of a voice', () => {
  it('is the browser’s own without a script', () => {
    const html = renderToString(<Player src="/voice" title="Dad, reading it to you" />);
    expect(html).toMatch(/<audio [^>]*src="\/voice"[^>]*controls=""/);
    expect(html).not.toContain('<button');
  });

  it('plays and stops at a press, and says where it is', () => {
    const audio = open();
    expect(audio.controls).toBe(false);
    measured(audio, 134);
    fireEvent.click(button(play));
    heard(audio, 48.6);
    expect(screen.getByText('0:48 of 2:14')).toBeTruthy();
    fireEvent.click(button(pause));
    expect(button(play)).toBeTruthy();
  });

  it('goes to where its line is moved, which says the time', () => {
    const audio = open();
    measured(audio, 134);
    fireEvent.change(line() as HTMLElement, { target: { value: '60' } });
    expect(audio.currentTime).toBe(60);
    expect(line()?.getAttribute('aria-valuetext')).toBe('1:00 of 2:14');
  });

  it('tells the time alone where the file does not say how long it is', () => {
    const audio = open();
    measured(audio, Number.POSITIVE_INFINITY);
    heard(audio, 7);
    expect(screen.getByText('0:07')).toBeTruthy();
    expect(line()).toBeNull();
  });

  it('leaves off what else is playing', () => {
    open();
    const other = document.body.appendChild(document.createElement('video'));
    Object.defineProperty(other, 'paused', { value: false, configurable: true });
    fireEvent.click(button(play));
    expect(other.paused).toBe(true);
    expect(button(pause)).toBeTruthy();
    other.remove();
  });

  it('says that this device cannot play it, and what may help', () => {
    const audio = open();
    act(() => void fireEvent(audio, new Event('error')));
    expect(screen.getByRole('status').textContent).toContain('This device cannot play it here.');
    expect(screen.queryByRole('button')).toBeNull();
  });
});
