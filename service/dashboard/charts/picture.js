import {save} from '../lib/save.js';
import {colour} from './colours.js';

const HEAD_PX = 48; // above the chart, for its title
const LEFT_PX = 14;

/** Saves a canvas as PNG under a title and a line about it, on the colour of the page. */
export function savePicture(source, title, about) {
  const pixels = count => Math.round(count * devicePixelRatio);
  const canvas = document.createElement('canvas');
  const head = pixels(HEAD_PX);
  canvas.width = source.width;
  canvas.height = source.height + head;
  const context = canvas.getContext('2d');
  const write = (text, size, name, y) => {
    context.fillStyle = colour(name);
    context.font = `${pixels(size)}px system-ui, sans-serif`;
    context.fillText(text, pixels(LEFT_PX), y);
  };
  context.fillStyle = colour('--card');
  context.fillRect(0, 0, canvas.width, canvas.height);
  write(title, 16, '--text', head * 0.45);
  write(about, 12, '--dim', head * 0.85);
  context.drawImage(source, 0, head);
  canvas.toBlob(picture => save(`${title}.png`, picture));
}
