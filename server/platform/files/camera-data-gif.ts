import type { CameraDataEraser } from './camera-data.ts';

/** Sizes and bytes of the GIF89a specification (https://www.w3.org/Graphics/GIF/spec-gif89a.txt). */
const startBytes = 13;
const imageBytes = 9;
const blocks = { extension: 0x21, image: 0x2c, padding: 0 } as const;
const labels = { control: 0xf9, application: 0xff } as const;
/** Applications by which an animation repeats, and the profile of its colours. All others describe the picture. */
const drawingApplications: ReadonlySet<string> = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

type Part = 'start' | 'colours' | 'block' | 'label' | 'image' | 'codeSize' | 'name' | 'length' | 'data' | 'after';

/**
 * Overwrites in a GIF what programs wrote beside the picture: comments, texts, and the data of unknown applications (XMP). Frames,
 * colours and the number of repeats stay, and so does the number of bytes.
 */
export const eraseGifData = (): CameraDataEraser => new GifEraser();

class GifEraser implements CameraDataEraser {
  #part: Part = 'start';
  #left = startBytes;
  /** Part that follows a table of colours. */
  #behindColours: Part = 'block';
  /** True for data by which a decoder draws. */
  #isDrawn = true;
  /** True for the first block of an application, which is its name. */
  #isName = false;
  /** Bytes of a part whose meaning is known at its end. */
  #pending = Buffer.alloc(0);

  take(input: Buffer): Buffer {
    const out: Buffer[] = [];
    for (let at = 0; at < input.length; ) {
      const piece = input.subarray(at, at + this.#left);
      at += piece.length;
      this.#left -= piece.length;
      out.push(this.#passed(piece));
      if (this.#left === 0) out.push(this.#endPart());
    }
    return Buffer.concat(out);
  }

  rest(): Buffer {
    return this.#part === 'name' ? this.#pending.fill(0) : this.#pending;
  }

  /** Returns the bytes of a piece that need not wait for the end of their part. */
  #passed(piece: Buffer): Buffer {
    if (this.#part === 'colours' || (this.#part === 'data' && this.#isDrawn)) return piece;
    if (this.#part === 'data' || this.#part === 'after') return piece.fill(0);
    this.#pending = Buffer.concat([this.#pending, piece]);
    return Buffer.alloc(0);
  }

  /** Ends a part, and returns the bytes that waited for its end. */
  #endPart(): Buffer {
    const whole = this.#pending;
    this.#pending = Buffer.alloc(0);
    switch (this.#part) {
      case 'start':
        this.#beginColours(whole.readUInt8(10), 'block');
        break;
      case 'image':
        this.#beginColours(whole.readUInt8(8), 'codeSize');
        break;
      case 'colours':
        this.#begin(this.#behindColours);
        break;
      case 'block':
        return this.#afterBlock(whole);
      case 'label':
        this.#beginExtension(whole.readUInt8());
        break;
      case 'codeSize':
        this.#beginData(true);
        break;
      case 'length':
        this.#afterLength(whole.readUInt8());
        break;
      case 'name':
        return this.#afterName(whole);
      default:
        this.#begin('length');
    }
    return whole;
  }

  #begin(part: Part, bytes = 1): void {
    this.#part = part;
    this.#left = bytes;
  }

  /** Reads the flags of a screen or of an image, which say how many colours follow. */
  #beginColours(flags: number, behind: Part): void {
    this.#behindColours = behind;
    const colours = (flags & 0x80) === 0 ? 0 : 2 << (flags & 0x07);
    if (colours > 0) this.#begin('colours', colours * 3);
    else this.#begin(behind);
  }

  #beginExtension(label: number): void {
    this.#beginData(label === labels.control);
    this.#isName = label === labels.application;
  }

  #beginData(isDrawn: boolean): void {
    this.#isDrawn = isDrawn;
    this.#begin('length');
  }

  /** Decoders stop at the end of the picture and at a block that is none, so all bytes after it are overwritten. */
  #afterBlock(block: Buffer): Buffer {
    const kind = block.readUInt8();
    if (kind === blocks.extension) this.#begin('label');
    else if (kind === blocks.image) this.#begin('image', imageBytes);
    else if (kind === blocks.padding) this.#begin('block');
    else this.#begin('after', Number.POSITIVE_INFINITY);
    return block;
  }

  #afterLength(bytes: number): void {
    const isName = this.#isName;
    this.#isName = false;
    if (bytes === 0) this.#begin('block');
    else this.#begin(isName ? 'name' : 'data', bytes);
  }

  #afterName(name: Buffer): Buffer {
    this.#beginData(drawingApplications.has(name.toString('latin1')));
    return this.#isDrawn ? name : name.fill(0);
  }
}
