// The far end of the sheet, drawn to scale: one unit of the picture is a metre. The house is at the
// top, as the thrower sees it.
import {s} from './dom.js';
import {BACK_Y, HALF_WIDTH, HOG_Y, RADIUS, RINGS, TEAM_NAMES, TEAMS, TEE_Y} from './curling.js';

const TOP = -(BACK_Y + 0.6), BOTTOM = -(HOG_Y - 0.6);

export class Sheet {
  /** options.onmove(team, slot, {x, y} or null): stones can be dragged, and moved with the keys. */
  constructor(options = {}) {
    this.options = options;
    this.nodes = new Map(); // of stones, by "team0/3"
    this.ground = s('g', {});
    this.under = s('g', {});
    this.stoneLayer = s('g', {});
    this.over = s('g', {});
    this.svg = s('svg', {class: 'sheet', viewBox: `${-HALF_WIDTH - 0.1} ${TOP} ${2 * HALF_WIDTH + 0.2} ${BOTTOM - TOP}`,
      role: options.onmove ? 'group' : 'img', 'aria-label': 'the house and the stones'}, this.ground, this.under, this.stoneLayer, this.over);
    this.drawGround();
    if (options.onpoint)
      this.svg.addEventListener('click', event => options.onpoint(this.point(event)));
  }

  drawGround() {
    const line = (x1, y1, x2, y2) => s('line', {class: 'line', x1, y1: -y1, x2, y2: -y2});
    this.ground.append(...RINGS.map(([r, name]) => s('circle', {class: name, cx: 0, cy: -TEE_Y, r})),
      line(-HALF_WIDTH, TEE_Y, HALF_WIDTH, TEE_Y), line(0, HOG_Y - 0.6, 0, BACK_Y + 0.6),
      line(-HALF_WIDTH, BACK_Y, HALF_WIDTH, BACK_Y), line(-HALF_WIDTH, HOG_Y, HALF_WIDTH, HOG_Y),
      s('rect', {class: 'edge', x: -HALF_WIDTH, y: TOP, width: 2 * HALF_WIDTH, height: BOTTOM - TOP}));
  }

  /** Where on the ice an event of the pointer is. */
  point(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return {x: at.x, y: -at.y};
  }

  /** stones[team][slot]; counting: ["team0/3", …] are marked. A stone that stays keeps its element,
   * so that a drag or the focus is not lost. */
  setStones(stones, counting = []) {
    for (const team of TEAMS)
      stones[team].forEach((at, slot) => {
        const name = `${team}/${slot}`;
        if (!at) {
          this.nodes.get(name)?.remove();
          this.nodes.delete(name);
          return;
        }
        if (!this.nodes.has(name)) {
          this.nodes.set(name, this.makeStone(team, slot));
          this.stoneLayer.append(this.nodes.get(name));
        }
        const node = this.nodes.get(name), movable = Boolean(this.options.onmove);
        node.classList.toggle('counting', counting.includes(name));
        node.setAttribute('aria-label', `${TEAM_NAMES[team]} stone ${slot + 1}, ${at.x.toFixed(2)} m right, ${(at.y - TEE_Y).toFixed(2)} m behind the tee${movable ? '; arrow keys move it, Delete takes it off' : ''}`);
        node.at = at;
        if (!node.from)
          place(node, at);
      });
  }

  makeStone(team, slot) {
    const movable = Boolean(this.options.onmove);
    const node = s('g', {class: `stone ${team}${movable ? ' movable' : ''}`, 'data-stone': `${team}/${slot}`, ...(movable ? {tabindex: 0, role: 'button'} : {})},
      s('circle', {r: RADIUS}), s('text', {}, slot + 1));
    if (movable)
      this.makeMovable(node, team, slot);
    return node;
  }

  /** node.at: where it lies; node.from, while it is dragged: where in it the pointer holds it. */
  makeMovable(node, team, slot) {
    let to = null;
    node.addEventListener('click', event => event.stopPropagation());
    node.addEventListener('pointerdown', event => {
      const point = this.point(event);
      node.from = {x: point.x - node.at.x, y: point.y - node.at.y};
      to = node.at;
      node.setPointerCapture(event.pointerId);
      node.focus();
      event.preventDefault();
    });
    node.addEventListener('pointermove', event => {
      if (!node.from)
        return;
      const point = this.point(event);
      to = {x: point.x - node.from.x, y: point.y - node.from.y};
      place(node, to);
    });
    const drop = () => {
      if (!node.from)
        return;
      node.from = null;
      if (to !== node.at)
        this.options.onmove(team, slot, Math.abs(to.x) < HALF_WIDTH + 0.1 && to.y > HOG_Y - 0.6 && to.y < BACK_Y + 0.6 ? clamp(to) : null);
    };
    node.addEventListener('pointerup', drop);
    node.addEventListener('pointercancel', drop);
    node.addEventListener('keydown', event => {
      const step = event.shiftKey ? 0.1 : 0.01;
      const move = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]}[event.key];
      if (move)
        this.options.onmove(team, slot, clamp({x: node.at.x + move[0], y: node.at.y + move[1]}));
      else if (event.key === 'Delete' || event.key === 'Backspace')
        this.options.onmove(team, slot, null);
      else
        return;
      event.preventDefault();
    });
  }

  clearMarks() {
    this.under.replaceChildren();
    this.over.replaceChildren();
  }
  addPath(points, className) {
    this.under.append(s('polyline', {class: `path ${className ?? ''}`, points: points.map(point => `${point.x},${-point.y}`).join(' ')}));
  }
  addSamples(points) {
    this.over.append(...points.map(point => s('circle', {class: 'sample', cx: point.x, cy: -point.y, r: 0.05})));
  }

  /** Moves stones along paths [{team, slot, points: [{t?, x, y}]}]; resolves at the end. */
  animate(paths, signal) {
    this.stop?.();
    if (!paths.length || matchMedia('(prefers-reduced-motion: reduce)').matches)
      return Promise.resolve();
    const longest = Math.max(...paths.map(path => path.points.at(-1).t ?? path.points.length - 1));
    const lasts = 2200, ghosts = [], moving = paths.map(path => {
      let node = this.nodes.get(`${path.team}/${path.slot}`);
      if (!node) {
        node = s('g', {class: `stone ${path.team} ghost`}, s('circle', {r: RADIUS}), s('text', {}, path.slot + 1));
        this.over.append(node);
        ghosts.push(node);
      }
      return {node, path};
    });
    return new Promise(resolve => {
      let stopped = false;
      const end = () => {
        stopped = true;
        ghosts.forEach(node => node.remove());
        resolve();
      };
      this.stop = end;
      signal?.addEventListener('abort', end);
      const begin = performance.now();
      const frame = now => {
        if (stopped)
          return;
        const t = Math.min((now - begin) / lasts, 1) * longest;
        for (const {node, path} of moving)
          place(node, pointAt(path.points, t));
        if (t < longest)
          requestAnimationFrame(frame);
        else
          end();
      };
      requestAnimationFrame(frame);
    });
  }
}

function pointAt(points, t) {
  const time = k => points[k].t ?? k;
  let k = 1;
  while (k < points.length - 1 && time(k) < t)
    k++;
  if (points.length < 2)
    return points[0];
  const a = points[k - 1], b = points[k], share = Math.min(Math.max((t - time(k - 1)) / ((time(k) - time(k - 1)) || 1), 0), 1);
  return {x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y)};
}

const clamp = ({x, y}) => ({x: Math.min(Math.max(x, -HALF_WIDTH + RADIUS), HALF_WIDTH - RADIUS), y: Math.min(Math.max(y, HOG_Y + 0.01), BACK_Y + RADIUS - 0.001)});
const place = (node, {x, y}) => node.setAttribute('transform', `translate(${x} ${-y})`);
