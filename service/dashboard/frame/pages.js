// The pages by the first part of their address: "#/job/7" is the page `job` with the argument "7".
// `menu`: the header links to it, in this order: what players do first, then jobs and machines.
// `under`: the page that the header marks instead. The module of a page exports
// Page({args, query}) and is loaded when it is first needed.
export const PAGES = {
  '': {title: 'Overview', menu: true, load: () => import('../overview/page.js')},
  board: {title: 'Board', menu: true, load: () => import('../board/page.js')},
  games: {title: 'Games', menu: true, load: () => import('../games/page.js')},
  library: {title: 'Library', menu: true, load: () => import('../library/page.js')},
  ladder: {title: 'Ladder', menu: true, load: () => import('../ladder/page.js')},
  runs: {title: 'Runs', menu: true, load: () => import('../runs/page.js')},
  new: {title: 'New job', menu: true, load: () => import('../new_job/page.js')},
  nodes: {title: 'Nodes', menu: true, load: () => import('../nodes/page.js')},
  job: {title: 'Job', load: () => import('../job/page.js')},
  run: {title: 'Run', under: 'runs', load: () => import('../run/page.js')},
  hand: {title: 'Hand', under: 'board', load: () => import('../hand/page.js')},
  review: {title: 'Review', under: 'games', load: () => import('../review/page.js')},
  reproduction: {title: 'Published results', load: () => import('../reproduction/page.js')},
  glossary: {title: 'Words', load: () => import('../glossary/page.js')},
};

export const pageOf = name => (Object.hasOwn(PAGES, name) ? PAGES[name] : null);
