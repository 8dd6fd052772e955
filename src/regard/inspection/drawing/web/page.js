"use strict";(()=>{var Dt=globalThis,at=Dt.trustedTypes,Mn=at?at.createPolicy("lit-html",{createHTML:e=>e}):void 0,jt="$lit$",J=`lit$${Math.random().toFixed(9).slice(2)}$`,Kt="?"+J,Bo=`<${Kt}>`,le=document,Pe=()=>le.createComment(""),Le=e=>e===null||typeof e!="object"&&typeof e!="function",qt=Array.isArray,Ln=e=>qt(e)||typeof e?.[Symbol.iterator]=="function",Wt=`[ 	
\f\r]`,Ce=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,On=/-->/g,Rn=/>/g,re=RegExp(`>|${Wt}(?:([^\\s"'>=/]+)(${Wt}*=${Wt}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Hn=/'/g,Cn=/"/g,Nn=/^(?:script|style|textarea|title)$/i,Ut=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),d=Ut(1),Y=Ut(2),Ur=Ut(3),Ne=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),Pn=new WeakMap,ae=le.createTreeWalker(le,129);function Bn(e,t){if(!qt(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return Mn!==void 0?Mn.createHTML(t):t}var In=(e,t)=>{let n=e.length-1,s=[],o,i=t===2?"<svg>":t===3?"<math>":"",a=Ce;for(let l=0;l<n;l++){let c=e[l],h,u,p=-1,g=0;for(;g<c.length&&(a.lastIndex=g,u=a.exec(c),u!==null);)g=a.lastIndex,a===Ce?u[1]==="!--"?a=On:u[1]!==void 0?a=Rn:u[2]!==void 0?(Nn.test(u[2])&&(o=RegExp("</"+u[2],"g")),a=re):u[3]!==void 0&&(a=re):a===re?u[0]===">"?(a=o??Ce,p=-1):u[1]===void 0?p=-2:(p=a.lastIndex-u[2].length,h=u[1],a=u[3]===void 0?re:u[3]==='"'?Cn:Hn):a===Cn||a===Hn?a=re:a===On||a===Rn?a=Ce:(a=re,o=void 0);let $=a===re&&e[l+1].startsWith("/>")?" ":"";i+=a===Ce?c+Bo:p>=0?(s.push(h),c.slice(0,p)+jt+c.slice(p)+J+$):c+J+(p===-2?l:$)}return[Bn(e,i+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),s]},Be=class e{constructor({strings:t,_$litType$:n},s){let o;this.parts=[];let i=0,a=0,l=t.length-1,c=this.parts,[h,u]=In(t,n);if(this.el=e.createElement(h,s),ae.currentNode=this.el.content,n===2||n===3){let p=this.el.content.firstChild;p.replaceWith(...p.childNodes)}for(;(o=ae.nextNode())!==null&&c.length<l;){if(o.nodeType===1){if(o.hasAttributes())for(let p of o.getAttributeNames())if(p.endsWith(jt)){let g=u[a++],$=o.getAttribute(p).split(J),w=/([.?@])?(.*)/.exec(g);c.push({type:1,index:i,name:w[2],strings:$,ctor:w[1]==="."?ct:w[1]==="?"?dt:w[1]==="@"?ut:de}),o.removeAttribute(p)}else p.startsWith(J)&&(c.push({type:6,index:i}),o.removeAttribute(p));if(Nn.test(o.tagName)){let p=o.textContent.split(J),g=p.length-1;if(g>0){o.textContent=at?at.emptyScript:"";for(let $=0;$<g;$++)o.append(p[$],Pe()),ae.nextNode(),c.push({type:2,index:++i});o.append(p[g],Pe())}}}else if(o.nodeType===8)if(o.data===Kt)c.push({type:2,index:i});else{let p=-1;for(;(p=o.data.indexOf(J,p+1))!==-1;)c.push({type:7,index:i}),p+=J.length-1}i++}}static createElement(t,n){let s=le.createElement("template");return s.innerHTML=t,s}};function ce(e,t,n=e,s){if(t===Ne)return t;let o=s!==void 0?n._$Co?.[s]:n._$Cl,i=Le(t)?void 0:t._$litDirective$;return o?.constructor!==i&&(o?._$AO?.(!1),i===void 0?o=void 0:(o=new i(e),o._$AT(e,n,s)),s!==void 0?(n._$Co??=[])[s]=o:n._$Cl=o),o!==void 0&&(t=ce(e,o._$AS(e,t.values),o,s)),t}var lt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:s}=this._$AD,o=(t?.creationScope??le).importNode(n,!0);ae.currentNode=o;let i=ae.nextNode(),a=0,l=0,c=s[0];for(;c!==void 0;){if(a===c.index){let h;c.type===2?h=new we(i,i.nextSibling,this,t):c.type===1?h=new c.ctor(i,c.name,c.strings,this,t):c.type===6&&(h=new ht(i,this,t)),this._$AV.push(h),c=s[++l]}a!==c?.index&&(i=ae.nextNode(),a++)}return ae.currentNode=le,o}p(t){let n=0;for(let s of this._$AV)s!==void 0&&(s.strings!==void 0?(s._$AI(t,s,n),n+=s.strings.length-2):s._$AI(t[n])),n++}},we=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,s,o){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=s,this.options=o,this._$Cv=o?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=ce(this,t,n),Le(t)?t===m||t==null||t===""?(this._$AH!==m&&this._$AR(),this._$AH=m):t!==this._$AH&&t!==Ne&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Ln(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==m&&Le(this._$AH)?this._$AA.nextSibling.data=t:this.T(le.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:s}=t,o=typeof s=="number"?this._$AC(t):(s.el===void 0&&(s.el=Be.createElement(Bn(s.h,s.h[0]),this.options)),s);if(this._$AH?._$AD===o)this._$AH.p(n);else{let i=new lt(o,this),a=i.u(this.options);i.p(n),this.T(a),this._$AH=i}}_$AC(t){let n=Pn.get(t.strings);return n===void 0&&Pn.set(t.strings,n=new Be(t)),n}k(t){qt(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,s,o=0;for(let i of t)o===n.length?n.push(s=new e(this.O(Pe()),this.O(Pe()),this,this.options)):s=n[o],s._$AI(i),o++;o<n.length&&(this._$AR(s&&s._$AB.nextSibling,o),n.length=o)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let s=t.nextSibling;t.remove(),t=s}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},de=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,s,o,i){this.type=1,this._$AH=m,this._$AN=void 0,this.element=t,this.name=n,this._$AM=o,this.options=i,s.length>2||s[0]!==""||s[1]!==""?(this._$AH=Array(s.length-1).fill(new String),this.strings=s):this._$AH=m}_$AI(t,n=this,s,o){let i=this.strings,a=!1;if(i===void 0)t=ce(this,t,n,0),a=!Le(t)||t!==this._$AH&&t!==Ne,a&&(this._$AH=t);else{let l=t,c,h;for(t=i[0],c=0;c<i.length-1;c++)h=ce(this,l[s+c],n,c),h===Ne&&(h=this._$AH[c]),a||=!Le(h)||h!==this._$AH[c],h===m?t=m:t!==m&&(t+=(h??"")+i[c+1]),this._$AH[c]=h}a&&!o&&this.j(t)}j(t){t===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},ct=class extends de{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===m?void 0:t}},dt=class extends de{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==m)}},ut=class extends de{constructor(t,n,s,o,i){super(t,n,s,o,i),this.type=5}_$AI(t,n=this){if((t=ce(this,t,n,0)??m)===Ne)return;let s=this._$AH,o=t===m&&s!==m||t.capture!==s.capture||t.once!==s.once||t.passive!==s.passive,i=t!==m&&(s===m||o);o&&this.element.removeEventListener(this.name,this,s),i&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},ht=class{constructor(t,n,s){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=s}get _$AU(){return this._$AM._$AU}_$AI(t){ce(this,t)}},Fn={M:jt,P:J,A:Kt,C:1,L:In,R:lt,D:Ln,V:ce,I:we,H:de,N:dt,U:ut,B:ct,F:ht},Io=Dt.litHtmlPolyfillSupport;Io?.(Be,we),(Dt.litHtmlVersions??=[]).push("3.3.1");var Wn=(e,t,n)=>{let s=n?.renderBefore??t,o=s._$litPart$;if(o===void 0){let i=n?.renderBefore??null;s._$litPart$=o=new we(t.insertBefore(Pe(),i),i,void 0,n??{})}return o._$AI(e),o};var F=class extends Error{constructor(n,s){super(s);this.status=n}},pt=0,Fo=410,Dn="regard-key";async function jn(){try{return(await fetch("health")).ok}catch{return!1}}var Kn=e=>sessionStorage.setItem(Dn,e);async function Gt(e,t,n){let s={},o=sessionStorage.getItem(Dn);o&&(s.Authorization=`Bearer ${o}`),t!==void 0&&(s["Content-Type"]="application/json");let i;try{i=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,{method:t===void 0?"GET":"POST",headers:s,signal:n??null,body:t===void 0?null:JSON.stringify(t)})}catch(a){throw n?.aborted?a:new F(pt,"The server does not answer. Is it still running?")}if(!i.ok){let a=await i.json().catch(()=>({}));throw new F(i.status,a.error?.message??`The server answered ${i.status}.`)}return i}async function P(e,t,n){return await(await Gt(e,t,n)).json()}async function*qn(e,t){let s=(await Gt("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),o="";for(;;){let{value:i,done:a}=await s.read().catch(c=>{throw t.aborted?c:new F(pt,"The server went away while it was answering. Is it still running?")});if(a)return;let l=(o+i).split(`

`);o=l.pop()??"";for(let c of l){let[h,u]=c.split(`
`);yield{name:h.slice(7),data:JSON.parse(u.slice(6))}}}}async function Vt(e,t,n){try{return await P(`inspect/${e.id}/${t}`,void 0,n)}catch(s){if(!(s instanceof F)||s.status!==Fo)throw s;return e.id=(await P("inspect",e.asked,n)).id,await P(`inspect/${e.id}/${t}`,void 0,n)}}async function ye(e,t){let n=await P("inspect",{...e,lens:!0},t);return n.asked=e,n.weights=new Map,await Promise.all(Object.keys(n.tokens).map(async s=>{let o=await Gt(`inspect/${n.id}/attention/${s}`,void 0,t),[,i,a]=o.headers.get("X-Shape").split(",").map(Number),l=new Uint8Array(await o.arrayBuffer()),c=Number(o.headers.get("X-Scale"));o.headers.get("X-Heads").split(",").forEach((h,u)=>{let p=l.subarray(u*i*a,(u+1)*i*a);n.weights.set(h,{rows:i,keys:a,values:p,scale:c,forbidden:255})})})),n}var r={models:[],direction:"",text:"",beam:5,temperature:0,seed:0,length:50,moved:null,live:!0,numTokens:null,maxTokens:0,longest:0,numCut:0,sentences:[],textOf:"",looked:null,ablated:null,at:0,step:0,source:null,key:null,head:"mean",share:.9,words:!1,alone:!1,inspection:null,off:[],undo:[],ablation:null,worth:null,worthByToken:{},compared:null,isHtml:!1,translatedHtml:"",sortBy:"place",traced:null,node:null,flow:null,isExplained:!1,lookup:null,snapshot:null,stop:null,peek:null,isPlaying:!1,busy:{},error:"",needsKey:!1,said:"",stored:null},Un=[],zt=!1;function Gn(e){Un.push(e)}function f(e){Object.assign(r,e),!zt&&(zt=!0,requestAnimationFrame(()=>{zt=!1;for(let t of Un)t();Vo()}))}var Wo={edits:[],snapshot:null,compared:null,searched:!1,ranked:!1},gt=null,K=()=>gt;function xe(){gt=null}var Do=()=>({edits:r.sentences.flatMap(({edit:e},t)=>e?[{at:t,...e}]:[]),snapshot:r.snapshot,compared:r.compared&&{text:r.compared.text,ids:r.compared.ids},searched:r.traced!==null&&r.traced.source===y()?.source,ranked:r.worth!==null}),jo=["direction","text","beam","temperature","seed","length","at","off","isHtml"],Ko=16,qo=1e3,Uo=5,B="flow.",ne="mean.",ue=["rollout","gradient","integrated-gradients"],mt=e=>e==="true",ke=(e,t,n=!0)=>s=>{let o=Number(s);return s.trim()&&o>=e&&o<=t&&(!n||Number.isInteger(o))?o:void 0},ft=ke(0,1e9),Go=e=>Vn(e)||e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e)||ue.some(t=>e===`${B}${t}`)?e:void 0,Vn=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),zn={direction:String,text:String,beam:ke(1,Ko),temperature:ke(0,Uo,!1),seed:ke(0,Number.MAX_SAFE_INTEGER),length:ke(1,qo),at:ft,step:ft,source:ft,key:ft,head:Go,share:ke(.1,1,!1),words:mt,alone:mt,isExplained:mt,isHtml:mt,sortBy:String,off:e=>e.split(",").filter(Vn)},Jn={text:"",source:null,key:null,off:[],beam:5,temperature:0,seed:0,length:50,at:0,step:0,head:"mean",share:.9,words:!1,alone:!1,isExplained:!1,isHtml:!1,sortBy:"place"},Jt=!1;function N(){Jt=!0}var X=()=>r.textOf!==""&&r.textOf!==r.text;function Vo(){let e=new URLSearchParams;for(let s of Object.keys(zn)){let i=s==="text"&&X()&&!r.live&&!r.busy.translate&&!r.error?r.textOf:r[s];r.stored&&jo.includes(s)||i!==null&&i!==Jn[s]&&String(i)&&e.set(s,String(i))}if(!r.stored){let{edits:s,snapshot:o,compared:i,searched:a,ranked:l}=gt??Do();s.length&&e.set("edits",JSON.stringify(s.map(({at:c,forced:h,text:u,token:p,ids:g})=>[c,h,u,p,g]))),i&&e.set("compared",JSON.stringify([i.text,i.ids]));for(let[c,h]of Object.entries({snapshot:o,searched:a,ranked:l}))(h||h===0)&&e.set(c,String(h))}let t=`#${e}`,n=[...r.text.trim().split(`
`)[0]].slice(0,60).join("");r.stored||(document.title=n?`${n} · Regard`:"Regard"),!(t===(location.hash||"#")||location.protocol==="about:")&&(Jt?history.pushState(null,"",t):history.replaceState(null,"",t),Jt=!1)}var Yt=e=>Number.isSafeInteger(e)&&e>=0,Yn=e=>Array.isArray(e)?e.filter(Yt):[];function Xn(e){try{return JSON.parse(e??"null")}catch{return null}}function zo(e){let t=Xn(e);if(!Array.isArray(t))return[];let n=([s,o,i])=>Yt(s)&&(o===null||Yt(o))&&typeof i=="string";return t.filter(s=>Array.isArray(s)&&n(s)).map(([s,o,i,a,l])=>({at:s,forced:o,text:i,token:typeof a=="string"?a:"",ids:Yn(l)}))}function Jo(e){let t=Xn(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:Yn(t[1])}:e?{text:e,ids:[]}:null}function bt(){let e=new URLSearchParams(location.hash.slice(1)),t={...Jn},n=Number(e.get("snapshot")??NaN);for(let[s,o]of Object.entries(zn)){let i=e.get(s),a=i?o(i):void 0;a!==void 0&&(t[s]=a)}return gt={...Wo,edits:zo(e.get("edits")),snapshot:n>=0?n:null,compared:Jo(e.get("compared")),searched:e.has("searched"),ranked:e.has("ranked")},t}var se=e=>e.direction??e.name??"",x=()=>r.models.find(e=>se(e)===r.direction),S=()=>!r.stored&&x()?.direction!==void 0,Ie=()=>S()||!r.stored&&x()?.arch==="decoder",q=()=>!r.stored&&r.snapshot===null&&x()!==void 0&&x().arch!=="rnn",Fe={compared:null,inspection:null,looked:null,ablated:null,ablation:null,traced:null,node:null,worth:null,flow:null,lookup:null,snapshot:null,moved:null,peek:null};function y(){return r.sentences[r.at]}var E=()=>r.inspection!==null&&r.looked!==(y()??null);function ve(e=r.looked){let t=(e?.tokens??[]).map(n=>n.token);return S()?[...t,"end"]:t.slice(1)}var $t=e=>e!=="encoder"||r.inspection?.target===null;var he=new Map;async function O(e,t,n){he.get(e)?.abort();let s=new AbortController;he.set(e,s),e==="translate"&&Qn(),t&&f({busy:{...r.busy,[e]:t},error:""});try{return await n(s.signal),!s.signal.aborted}catch(o){return s.signal.aborted||(f({error:o instanceof Error?o.message:String(o),needsKey:o instanceof F&&o.status===403}),o instanceof F&&o.status===pt&&ns()),!1}finally{he.get(e)===s&&Zn(e)}}function Qn(e=!0){let t=document.querySelector(".translate, .named");t&&!(e&&t.style.minHeight)&&(t.style.minHeight=e?`${t.offsetHeight}px`:"")}function Zn(e){he.delete(e),e==="translate"&&requestAnimationFrame(()=>requestAnimationFrame(()=>{he.has(e)||Qn(!1)}));let{[e]:t,...n}=r.busy;f({busy:n})}var Yo=2e3,Xt=0,es=async()=>{};function ts(e){es=e}function ns(){clearTimeout(Xt),Xt=window.setTimeout(()=>void jn().then(e=>{e?Qt():r.error&&ns()}),Yo)}async function Qt(){clearTimeout(Xt),f({error:"",needsKey:!1}),await es()}function ss(e){f({said:e}),setTimeout(()=>{r.said===e&&f({said:""})},4e3)}var wt=e=>he.has(e);function oe(e){he.get(e)?.abort(),Zn(e)}var L=e=>e.split(".").slice(0,2).join("."),Zt=()=>r.inspection?[...r.inspection.weights.keys()]:[],os=(e,t)=>e[(t+e.length)%e.length];function Te(e){let t=Zt(),n=os(t,t.indexOf(r.head)+e);n&&f({head:n})}function Se(e){let t=[...new Set(Zt().map(L))],n=os(t,t.indexOf(L(r.head))+e),s=Zt().find(o=>L(o)===n);s&&f({head:s})}function yt(){let e=r.inspection?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${ne}${e}`,isOfModel:t}}var Q=()=>{let e=x();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}},We=()=>r.temperature?{method:"sample",temperature:r.temperature,seed:r.seed}:{beam_size:r.beam},kt=e=>S()?{...Q(),text:e.source,target_ids:e.ids}:{model:x().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},as=({how:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});async function ls(){await O("models","",async e=>{let{models:t}=await P("models",void 0,e),n=t[0],s=t.some(o=>se(o)===r.direction);if(!t.length)throw new Error("The server has no model.");f({models:t,direction:s||!n?r.direction:se(n),error:"",needsKey:!1})})}async function Ae(){await O("count","",async e=>{if(!r.text.trim()||!S())return f({numTokens:null});let t=await P("tokenize",{...Q(),text:r.text},e),n=t.sentences.map(s=>s.tokens.length);f({numTokens:n.reduce((s,o)=>s+o,0),longest:Math.max(0,...n),maxTokens:t.max_tokens,numCut:t.num_cut})})}async function U(){xe(),await ds()}async function cs(){let{text:e}=r,t=K(),n=()=>t!==null&&K()===t&&r.text===e&&!r.error;await ds();for(let s of t?.edits??[])n()&&await Xo(s);t&&n()&&await Qo(t,n),K()===t&&!r.error&&xe(),f({})}async function Xo({at:e,forced:t,text:n,token:s,ids:o}){if(!r.sentences[e]?.isDone)return;let{step:i,at:a}=r;f({at:e}),await(t===null?pe({text:n,ids:o}):fs(t,s,n)),f({at:a,step:i}),e!==a&&await W()}async function Qo({snapshot:e,compared:t,searched:n,ranked:s},o){let{sortBy:i}=r;n&&o()&&await _e(),s&&o()&&await qe(),f({sortBy:i}),t&&o()&&await je(t),e!==null&&x()?.snapshots?.includes(e)&&o()&&await nn(e)}async function ds(){let{text:e}=r;if(oe("inspect"),!S())return;if(!e.trim())return oe("translate"),f({sentences:[],textOf:"",translatedHtml:"",...Fe});if(r.isHtml){await O("translate","Translating",async n=>{let s=await P("translate",{...Q(),...We(),text:e,format:"html"},n);f({translatedHtml:s.text,textOf:e,sentences:[],...Fe})});return}await O("translate","Translating",async n=>{let s=We();await us({...Q(),...s,text:e,alternatives:5},n,{how:s},o=>{f({sentences:o,textOf:e,translatedHtml:"",compared:null,peek:null,at:Math.max(0,Math.min(r.at,o.length-1))})})})&&y()?.isDone&&await W()}async function us(e,t,n,s){let o=r.temperature?e:{...e,n_best:Math.min(r.beam,5)},i=[];for await(let{name:a,data:l}of qn(o,t)){if(t.aborted)return;if(a==="meta"){for(let c=0;c<l.sentences;c++)i.push({...Zo(),index:c,...n});continue}if(a==="token"){let c=i[l.sentence];c.text=l.text,c.tokens.push(...l.tokens??[])}else if(a==="done"){let{sentences:c,text:h}=l,u=0;c.forEach((p,g)=>{let $=i[g],{text:w,score:T,source:b,ids:A}=p,I=Math.max(h.indexOf(w,u),u);Object.assign($,{text:w,score:T,source:b,ids:A,isDone:!0,nBest:p.n_best??[],gap:n.gap??h.slice(u,I)}),u=I+w.length,hs($,p)})}else if(a==="error")throw new F(l.status,l.message);s(i)}}function hs(e,t){e.tokens=t.tokens.map((n,s)=>({token:n,log_prob:t.token_log_probs[s],alternatives:t.alternatives?.[s]??e.tokens[s]?.alternatives??[]}))}var Zo=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],how:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function ps(){let e=Object.values(r.inspection?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var ms=e=>!/^<[^<>]+>$/.test(e)||S()&&e===ps();async function en(e,t){let n=y();if(!n?.isDone)return;let s=n.tokens.slice(0,e).map(o=>o.token);N(),await xt(async()=>{t===ps()?await pe({text:ie(s),ids:n.ids.slice(0,e)}):await fs(e,t,ie([...s,t]))})}async function xt(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),requestAnimationFrame(()=>requestAnimationFrame(()=>{let{activeElement:n}=document,s=!n||n===document.body||n.disabled;t&&s&&(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()}))}async function fs(e,t,n){let s=y(),{sentences:o,at:i}=r;if(!s?.isDone)return;let a=We(),l={source:s.source,gap:s.gap,how:a,prefix:n,original:s.original??s,edit:{forced:e,token:t,text:n,ids:[]}},c=o,h=await O("translate","Decoding again",async u=>{await us({...Q(),...a,text:s.source,prefix:n,split:!1,alternatives:5},u,l,([p])=>{c=o.with(i,p),f({sentences:c,step:e,compared:null})})});c!==o&&r.sentences===c&&!c[i].isDone&&f({sentences:o}),h&&y()?.isDone&&await W()}async function gs(){let{original:e}=y()??{};e&&(N(),await xt(async()=>{f({sentences:r.sentences.with(r.at,e),step:Math.min(r.step,e.tokens.length-1),compared:null}),await W()}))}var ie=e=>e.join("").replaceAll("▁"," ").trimStart();async function bs(e,{text:t,ids:n},s){let o=n.length?{target_ids:n}:{target_text:t},i=await P("score",{...Q(),text:e.source,...o,alternatives:5},s),a={...e,text:t,ids:i.ids,original:e.original??e,edit:{forced:null,token:"",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return hs(a,{...i,tokens:i.tokens.slice(0,-1)}),a}var tn=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids);async function je(e){let t=y();if(!t||r.compared&&tn(r.compared,e))return f({compared:null});await O("compare","Reading",async n=>{f({compared:await bs(t,e,n)})})}async function pe(e){let t=y(),{at:n}=r;if(!t)return;await O("translate","Reading",async o=>{let i=await bs(t,e,o);f({sentences:r.sentences.with(n,i),step:Math.max(0,Math.min(r.step,i.tokens.length-1)),compared:null,peek:null})})&&await W()}function Ke(e,t,n=null){let o=r.head==="mean"||[...e.weights.keys()].some(a=>`${ne}${L(a)}`===r.head)||ue.some(a=>r.head===`${B}${a}`)||e.weights.has(r.head),i=r.off.filter(a=>e.weights.has(a));f({inspection:e,looked:t,off:i,snapshot:n,worth:null,worthByToken:{},head:o?r.head:"mean",step:Math.max(0,Math.min(r.step,t.tokens.length-1)),...i.length?{}:{ablation:null,ablated:null}}),r.head.startsWith(B)&&Z(r.head)}async function W(){let e=y();!e?.isDone||!e.text||!S()||(await O("inspect","Looking inside",async t=>{Ke(await ye(kt(e),t),e)}),!E()&&(r.off.length&&await z(),r.traced?.source===e.source&&r.traced.of!==De(e)&&await _e()))}async function nn(e){let t=y();!t?.isDone||!t.text||(f({snapshot:e}),await O("inspect","Loading a snapshot",async n=>{Ke(await ye({...kt(t),snapshot:e,...as(t)},n),t,e)}))}async function Z(e){let t=r.inspection;if(!e.startsWith(B)||!t)return f({head:e,flow:null});await O("flow","Following the layers",async n=>{let s=await Vt(t,`flow/${e.slice(B.length)}`,n);r.inspection===t&&f({head:e,flow:{...s,seen:t}})})}var is="";function $s(e){let{inspection:t,head:n,isExplained:s}=r,o=sn(e);!t||!s||!t.weights.has(n)||E()||r.lookup?.cell===o||is===o&&(wt("lookup")||r.error)||(is=o,O("lookup","",async i=>{let a=await Vt(t,`lookup/${n}/${e.row}/${e.key}`,i);f({lookup:{of:a,found:e,cell:o}})}))}var ei=0,rs=new WeakMap;function sn({row:e,key:t}){let n=r.inspection,s=rs.get(n)??++ei;return rs.set(n,s),`${s}/${r.head}/${e}/${t}`}async function Ee(e,t=null){let n=[...r.undo,r.off].slice(-50),s=e.every(i=>r.off.includes(i)),o=t??s?r.off.filter(i=>!e.includes(i)):[...new Set([...r.off,...e])];f({off:o,undo:n}),await z()}async function ee(e,t){f({off:e,undo:t}),await z()}async function z(){let e=r.looked;if(!r.off.length)return oe("ablate"),f({ablation:null,ablated:null});!e?.isDone||!q()||E()||await O("ablate","Running without heads",async t=>{let n=S()?as(e):{prompt:e.source,...e.how},s=await P("ablate",{...kt(e),heads:r.off,together:!0,...n},t),[o]=s.ablations;f({ablation:o?{...o,predicted:s.predicted}:null,ablated:e})})}async function qe(){let{inspection:e,looked:t}=r,n=[...e?.weights.keys()??[]],s=[...new Set(n.map(L))];!t?.isDone||!e||E()||(await O("rank","Taking each head away",async o=>{let i={},a={};for(let[l,c]of s.entries()){let h=await P("ablate",{...kt(t),sweep:!0,heads:n.filter(u=>L(u)===c)},o);if(r.inspection!==e)return;i={...i,...h.worth},a={...a,...h.by_token},f({worth:i,worthByToken:a,busy:{...r.busy,rank:`Taking each head away: ${l+1} of ${s.length} layers`}})}f({sortBy:"worth"})}),r.error&&r.inspection===e&&f({worth:null,worthByToken:{}}))}var De=e=>JSON.stringify([r.direction,e.source,r.beam,e.prefix]);async function _e(){let e=y();e?.isDone&&await O("search","Searching",async t=>{let n=De(e),s={...Q(),text:e.source,beam_size:r.beam,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},o=await P("translate",s,t),i=y();i&&De(i)===n&&f({traced:{...o,of:n,source:e.source},node:null})})}var{I:ra}=Fn;var ws=e=>e.strings===void 0;var ys={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Ue=e=>(...t)=>({_$litDirective$:e,values:t}),Me=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,s){this._$Ct=t,this._$AM=n,this._$Ci=s}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var Ge=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let s of n)s._$AO?.(t,!1),Ge(s,t);return!0},vt=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},ks=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),si(t)}};function ti(e){this._$AN!==void 0?(vt(this),this._$AM=e,ks(this)):this._$AM=e}function ni(e,t=!1,n=0){let s=this._$AH,o=this._$AN;if(o!==void 0&&o.size!==0)if(t)if(Array.isArray(s))for(let i=n;i<s.length;i++)Ge(s[i],!1),vt(s[i]);else s!=null&&(Ge(s,!1),vt(s));else Ge(this,e)}var si=e=>{e.type==ys.CHILD&&(e._$AP??=ni,e._$AQ??=ti)},Tt=class extends Me{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,s){super._$AT(t,n,s),ks(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(Ge(this,t),vt(this))}setValue(t){if(ws(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var on=new WeakMap,Ve=Ue(class extends Tt{render(e){return m}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),m}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=on.get(t);n===void 0&&(n=new WeakMap,on.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?on.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});var te=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function G(e,t,n){let s=e.values[t*e.keys+n];return s===e.forbidden?0:s/e.scale}var Oe=(e,t)=>Array.from({length:e.keys},(n,s)=>G(e,t,s));function St(e,t){let n=e.map((a,l)=>l).sort((a,l)=>e[l]-e[a]),s=new Set,o=e.reduce((a,l)=>a+l,0),i=0;for(let a of n){if(e[a]===0||i>=t*o&&t<1)break;s.add(a),i+=e[a]}return s}var rn=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function xs(e){let t=rn(e.length,e[0]?.length??0);return e.flat().forEach((n,s)=>{t.values[s]=n??-1}),t}function vs(e){let t=e[0],n=rn(t.rows,t.keys);for(let{values:s,scale:o,forbidden:i}of e)for(let a=0;a<s.length;a++)n.values[a]+=s[a]===i?0:s[a]/o/e.length;for(let s=0;s<t.values.length;s++)t.values[s]===t.forbidden&&(n.values[s]=-1);return n}function Ts(e){let t=[];return e.words.forEach((n,s)=>{n!==null&&s>0&&e.words[s-1]===n?t.at(-1).push(s):t.push([s])}),t}function an(e,t,n){let s=rn(t.length,n.length);return t.forEach((o,i)=>n.forEach((a,l)=>{let c=o.every(u=>a.every(p=>te(e,u,p))),h=o.reduce((u,p)=>u+a.reduce((g,$)=>g+G(e,p,$),0),0);s.values[i*n.length+l]=c?-1:h/o.length})),s}var ln=new Map,Ms=()=>ln.clear();function H(e){let t=ln.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),s=[1,3,5].map(o=>parseInt(n.slice(o,o+2),16));return ln.set(e,s),s}var k=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",oi=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,me=e=>oi.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",ii=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,ri=/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u;function Ss(e,t){let n=/(.)\p{M}*$/u.exec(e??"")?.[1]??"",s=/^./u.exec(t??"")?.[0]??"",o=i=>ii.test(i)&&/\p{L}/u.test(i);return o(n)&&o(s)&&!ri.test(n)&&s!=="ء"}var Je=(e,t)=>`${Ss(e[t-1]?.token,e[t].token)?"joins-before":""} ${Ss(e[t].token,e[t+1]?.token)?"joins-after":""}`.trim(),Os=new WeakMap,Rs=e=>Os.get(e);function Hs(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),Os.set(t,e),t}var As=new WeakMap;function cn(e,t){let n=As.get(e)??new Map,s=`${t} ${H("paper")} ${H("heat")}`,o=n.get(s)??ai(e,t);return As.set(e,n.set(s,o)),o}function ai(e,t){let n=Math.min(e.rows,t),s=Math.min(e.keys,t),o=new ImageData(s,n),i=new Float32Array(s*n).fill(-1);for(let h=0;h<e.rows;h++)for(let u=0;u<e.keys;u++){if(te(e,h,u))continue;let p=Math.floor(h*n/e.rows)*s+Math.floor(u*s/e.keys);i[p]=Math.max(i[p],G(e,h,u))}let a=H("paper"),l=H("heat"),c=H("forbidden");return i.forEach((h,u)=>{for(let p=0;p<3;p++)o.data[4*u+p]=h<0?c[p]:a[p]+h*(l[p]-a[p]);o.data[4*u+3]=255}),Hs(o)}var At=new WeakMap,Cs=e=>At.get(e),Ps=e=>({image:e,left:0,top:0,width:0,height:0,isTurned:!1,labels:[],frames:[]});function Ls(e,t,n){let s=cn(t,n);At.set(e,Ps(s)),e.width=s.width,e.height=s.height,e.getContext("2d").drawImage(s,0,0)}function Ns(e,t,n){let s=new ImageData(n,t.length),o=H("paper"),i=H("more"),a=H("less"),l=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((h,u)=>h.forEach((p,g)=>{let $=u*n+g,w=p<0?a:i,T=Math.abs(p)/l;for(let b=0;b<3;b++)s.data[4*$+b]=o[b]+T*(w[b]-o[b]);s.data[4*$+3]=255}));let c=Hs(s);At.set(e,Ps(c)),e.width=n,e.height=t.length,e.getContext("2d").drawImage(c,0,0)}var li=14,ci=120,di=30,ui=6,ze="12px system-ui, sans-serif";function Es(e,t,n){let s=o=>e.measureText(o).width;return t.map(o=>{let i=[...k(o)];if(s(i.join(""))<=n)return i.join("");for(;i.length>1&&s(`${i.join("")}…`)>n;)i.pop();return`${i.join("")}…`})}function _s(e,t,n){let s=Math.max(Math.ceil(li/t),1);return Array.from({length:e},(o,i)=>i).filter(o=>o===n||o%s===0&&Math.abs(o-n)>=s)}function Bs(e,t,n,s,o,i,a=!1){let l=e.getContext("2d"),c=window.devicePixelRatio||1;l.font=ze;let h=Math.min(ci,i*.25),u=Es(l,n,h),p=Es(l,s,h),g=R=>Math.max(...R.map($e=>l.measureText($e).width))+10,$=g(u),w=g(p),T=Math.max(1.2,Math.min(di,(i-$-2)/s.length)),b=T>=ui?Math.floor(T):T,A={width:$+b*s.length+2,height:w+b*n.length+2};e.width=Math.round(A.width*c),e.height=Math.round(A.height*c),e.style.width=`${A.width}px`,e.style.height=`${A.height}px`,l.scale(c,c),l.font=ze,l.imageSmoothingEnabled=!1;let I=R=>a?s.length-1-R:R;l.save(),a&&l.transform(-1,0,0,1,2*$+b*s.length,0),l.drawImage(cn(t,1/0),$,w,b*s.length,b*n.length),l.restore();let j=R=>getComputedStyle(document.documentElement).getPropertyValue(`--${R}`).trim(),ot={image:cn(t,1/0),left:$,top:w,width:b*s.length,height:b*n.length,isTurned:a,labels:[],frames:[]};At.set(e,ot);let _n=(R,$e,it,He,rt)=>{ot.labels.push({text:R,x:$e,y:it,isTurned:He,fill:j(rt?"accent":"ink")}),l.save(),l.translate($e,it),He&&l.rotate(-Math.PI/2),l.textAlign=He?"left":"right",l.textBaseline="middle",l.fillStyle=j(rt?"accent":"ink"),l.fillText(`⁨${R}⁩`,0,0),l.restore()},Ft={left:$,top:w,size:b,rows:_s(n.length,b,o.row),keys:_s(s.length,b,o.key)};for(let R of Ft.rows)_n(u[R],$-6,w+b*(R+.5),!1,R===o.row);for(let R of Ft.keys)_n(p[R],$+b*(I(R)+.5),w-6,!0,R===o.key);ot.frames.push({x:$-.5,y:w-.5,width:b*s.length+1,height:b*n.length+1,stroke:j("line"),thickness:1},{x:$,y:w+b*o.row,width:b*s.length,height:b,stroke:j("accent"),thickness:1.5},{x:$+b*I(o.key),y:w,width:b,height:b*n.length,stroke:j("accent"),thickness:1.5});for(let{x:R,y:$e,width:it,height:He,stroke:rt,thickness:No}of ot.frames)l.strokeStyle=rt,l.lineWidth=No,l.strokeRect(R,$e,it,He);return Ft}var dn=class extends Me{known={};render(t){}update(t,[n]){let{style:s}=t.element;for(let[o,i]of Object.entries(n))this.known[o]!==i&&s.setProperty(o,i);for(let o of Object.keys(this.known))o in n||s.removeProperty(o);this.known=n}},_=Ue(dn);var Is=12;function D(e,t=1){let n=H("paper"),s=H(e);return d`<span class="ramp" aria-hidden="true"
    >${Array.from({length:Is},(o,i)=>{let a=n.map((l,c)=>Math.round(l+t*i/(Is-1)*(s[c]-l)));return d`<i ${_({background:`rgb(${a.join(", ")})`})}></i>`})}</span
  >`}var Ye=12,Et=2,hi="select, input, textarea, .unseen, .term, .save, .peek, [data-unsaved]",pi=3e5,mi=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*fi(e,t,n){let s=document.createRange();for(let{0:o,index:i}of e.data.matchAll(/\S+/gu)){s.setStart(e,i),s.setEnd(e,i+o.length);let{x:a,y:l,width:c,height:h}=s.getBoundingClientRect(),u=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;c&&(yield{kind:"text",x:a,y:l,width:c,height:h,text:o,fill:n,font:u,direction:t.direction})}}function*gi(e,{x:t,y:n,width:s,height:o},i){let a=Cs(e);if(!a||!s)return;let{image:l,isTurned:c}=a,h=a.width?{x:t+a.left,y:n+a.top,width:a.width,height:a.height}:{x:t,y:n,width:s,height:o};yield{kind:"cells",image:l,isTurned:c,opacity:i,...h};for(let u of a.frames)yield{kind:"frame",radius:0,...u,x:t+u.x,y:n+u.y};for(let{text:u,fill:p,isTurned:g,...$}of a.labels)yield{kind:"label",text:u,fill:p,isTurned:g,x:t+$.x,y:n+$.y,width:0,height:0}}function*bi(e,t,{x:n,y:s,width:o,height:i}){let a={x:n,y:s,width:o,height:i},l=parseFloat(t.borderRadius)||0,c=u=>getComputedStyle(document.documentElement).getPropertyValue(`--${u}`).trim(),h=(u,p)=>({kind:"line",...a,path:u,move:[n,s],stroke:p,thickness:2,opacity:1,dashes:""});e.matches(".cell")&&(yield{kind:"frame",stroke:t.borderTopColor,thickness:e.matches('[aria-pressed="true"]')?4:1.5,radius:l,...a}),e.matches(".cell.off")&&(yield h(`M 0 0 L ${o} ${i}`,c("less"))),e.matches("del")&&(yield{...h(`M 0 ${i/2} L ${o} ${i/2}`,c("bad")),thickness:1}),e.matches('.token[aria-pressed="true"], .part.here')&&(yield{kind:"frame",stroke:c("accent"),thickness:2,radius:l,...a}),e.matches(".token.forced")&&(yield{kind:"frame",stroke:c("more"),thickness:2,radius:l,...a}),e.matches(".token.new, u.new")&&(yield h(`M 2 ${i-1} L ${o-2} ${i-1}`,c("more")))}function*Fs(e){let t=e.getBoundingClientRect(),n=getComputedStyle(e),{x:s,y:o,width:i,height:a}=t;if(e.matches(hi)||n.visibility==="hidden")return;let l=e instanceof SVGElement;if(e instanceof HTMLCanvasElement)yield*gi(e,t,Number(n.opacity));else if(e instanceof SVGPathElement){let{e:c,f:h}=e.getScreenCTM();yield{kind:"line",x:s,y:o,width:i,height:a,path:e.getAttribute("d"),move:[c,h],stroke:n.stroke,thickness:parseFloat(n.strokeWidth),opacity:Number(n.opacity),dashes:n.strokeDasharray==="none"?"":n.strokeDasharray.replaceAll("px","")}}else e instanceof SVGRectElement?yield{kind:"box",x:s,y:o,width:i,height:a,fill:n.fill,opacity:Number(n.opacity),radius:0}:!l&&i&&!mi(n.backgroundColor)&&(yield{kind:"box",x:s,y:o,width:i,height:a,fill:n.backgroundColor,opacity:1,radius:parseFloat(n.borderRadius)||0});for(let c of e.childNodes)c instanceof Text?yield*fi(c,n,l?n.fill:n.color):c instanceof Element&&c.tagName!=="title"&&(yield*Fs(c));l||(yield*bi(e,n,t))}function Ws(e){let{classList:t}=document.documentElement;t.add("saving");try{return $i(e)}finally{t.remove("saving")}}function $i(e){let t=[],n=Ye,s=0;for(let i of e.flatMap(a=>[...document.querySelectorAll(a)])){let a=i.getBoundingClientRect(),l=a.x-i.scrollLeft,c=a.y-i.scrollTop,h=n;for(let u of Fs(i)){let p=u.x-l+Ye,g=u.y-c+n;t.push(u.kind==="line"?{...u,x:p,y:g,move:[u.move[0]-l+Ye,u.move[1]-c+n]}:{...u,x:p,y:g}),s=Math.max(s,p+u.width),h=Math.max(h,g+u.height)}n=h+Ye}let o=getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();return{shapes:t,width:Math.ceil(s+Ye),height:Math.ceil(n),paper:o}}var _t=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;"),M=e=>String(Math.round(100*e)/100);function wi({image:e,isTurned:t,opacity:n,...s}){let{data:o,width:i,height:a}=Rs(e),l=new Map,c=s.width/i,h=s.height/a;for(let u=0;u<a;u++)for(let p=0,g;p<i;p=g){let $=b=>[0,1,2].map(A=>o[4*(u*i+(t?i-1-b:b))+A].toString(16).padStart(2,"0")).join(""),w=$(p);for(g=p+1;g<i&&$(g)===w;)g++;let T=l.get(w)??[];l.set(w,T),T.push(`<rect x="${M(s.x+p*c)}" y="${M(s.y+u*h)}" width="${M((g-p)*c)}" height="${M(h)}"/>`)}return`<g class="cells" opacity="${n}" shape-rendering="crispEdges">${[...l].map(([u,p])=>`<g fill="#${u}">${p.join("")}</g>`).join("")}</g>`}function yi({image:e,isTurned:t,opacity:n,x:s,y:o,width:i,height:a}){let l=document.createElement("canvas");l.width=e.width,l.height=e.height,l.getContext("2d").drawImage(e,0,0);let c=t?` transform="matrix(-1 0 0 1 ${M(2*s+i)} 0)"`:"";return`<image x="${M(s)}" y="${M(o)}" width="${M(i)}" height="${M(a)}"${c} opacity="${n}" preserveAspectRatio="none" style="image-rendering:pixelated" href="${l.toDataURL()}"/>`}function ki(e){let{x:t,y:n,width:s,height:o}=e,i=`x="${M(t)}" y="${M(n)}" width="${M(s)}" height="${M(o)}"`;if(e.kind==="box")return`<rect ${i} rx="${M(Math.min(e.radius,o/2))}" fill="${e.fill}" opacity="${e.opacity}"/>`;if(e.kind==="frame")return`<rect ${i} rx="${M(e.radius)}" fill="none" stroke="${e.stroke}" stroke-width="${e.thickness}"/>`;if(e.kind==="cells")return e.image.width*e.image.height>pi?yi(e):wi(e);if(e.kind==="label"){let a=e.isTurned?` transform="rotate(-90 ${M(t)} ${M(n)})"`:"";return`<text x="${M(t)}" y="${M(n)}" text-anchor="${e.isTurned?"start":"end"}" dominant-baseline="central"${a} fill="${e.fill}" style="font:${_t(ze)}">⁨${_t(e.text)}⁩</text>`}return e.kind==="line"?`<path d="${e.path}" transform="translate(${e.move.map(M).join(" ")})" fill="none" stroke="${e.stroke}" stroke-width="${e.thickness}" opacity="${e.opacity}"${e.dashes?` stroke-dasharray="${e.dashes}"`:""}/>`:`<text x="${M(t+s/2)}" y="${M(n+o/2)}" text-anchor="middle" dominant-baseline="central" direction="${e.direction}" fill="${e.fill}" style="font:${_t(e.font)}">${_t(e.text)}</text>`}function Ds(e){let{shapes:t,width:n,height:s,paper:o}=Ws(e);return`<svg xmlns="http://www.w3.org/2000/svg" width="${n}" height="${s}" viewBox="0 0 ${n} ${s}"><rect width="${n}" height="${s}" fill="${o}"/>
${t.map(ki).join(`
`)}
</svg>
`}function xi(e,t){let{x:n,y:s,width:o,height:i}=t;e.save(),t.kind==="box"?(e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,s,o,i,Math.min(t.radius,i/2)),e.fill()):t.kind==="frame"?(e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,s,o,i,t.radius),e.stroke()):t.kind==="cells"?(e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isTurned&&e.transform(-1,0,0,1,2*n+o,0),e.drawImage(t.image,n,s,o,i)):t.kind==="label"?(e.translate(n,s),t.isTurned&&e.rotate(-Math.PI/2),e.font=ze,e.fillStyle=t.fill,e.textAlign=t.isTurned?"left":"right",e.textBaseline="middle",e.fillText(`⁨${t.text}⁩`,0,0)):t.kind==="line"?(e.globalAlpha=t.opacity,e.translate(...t.move),e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]),e.stroke(new Path2D(t.path))):(e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+o/2,s+i/2)),e.restore()}function js(e){let{shapes:t,width:n,height:s,paper:o}=Ws(e),i=document.createElement("canvas"),a=i.getContext("2d");i.width=Et*n,i.height=Et*s,a.scale(Et,Et),a.fillStyle=o,a.fillRect(0,0,n,s);for(let l of t)xi(a,l);return i}function Ks(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var fe=(e,t,n="text/plain")=>Ks(e,new Blob([t],{type:n}));function vi(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function qs(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",qs);addEventListener("pointerdown",qs);function C(e,t,n,s){let o={PNG:()=>js(t).toBlob(a=>{a&&Ks(`${e}.png`,a)}),SVG:()=>fe(`${e}.svg`,Ds(t),"image/svg+xml"),CSV:()=>fe(`${e}.csv`,vi(n()),"text/csv"),JSON:()=>fe(`${e}.json`,`${JSON.stringify(s(),null,2)}
`,"application/json")},i=a=>{a.currentTarget.closest("details").open=!1};return d`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(o).map(([a,l])=>d`<button
            type="button"
            aria-label="${e} as ${a}"
            @click=${c=>{l(),i(c)}}
          >
            ${a}
          </button>`)}</span
    >
  </details>`}var Ti={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","cross.1.2 is a head by kind, layer and number, each counted from 0. Encoder: the input looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the input. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a token looks at another, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells: a token that is being written may not look at later ones."],flow:["Through all layers","Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat below the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],lookup:["Query, key, softmax","Query and key are lists of numbers that the head makes of two tokens. Softmax turns scores into weights: e to the score, divided by the sum over the row."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]};function Si(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect();t.style.left=`${Math.max(8,Math.min(n.left,innerWidth-t.offsetWidth-8))}px`,t.style.top=`${n.bottom+t.offsetHeight+8<innerHeight?n.bottom+4:Math.max(8,n.top-t.offsetHeight-4)}px`}function v(e){let[t,n]=Ti[e];return d`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}" aria-label="What is this: ${t}"></button
    ><span id="term-${e}" class="explanation" popover @toggle=${Si}><b>${t}.</b> ${n}</span></span
  >`}var Ai=1e3,Us=5;function Ei({spelled:e,offsets:t},n){let s=[...n],o=0;return e.map((i,a)=>{let l=Math.max(o,t[a]?.[1]??0),c=t[a]?"":s.slice(o).join("");i.trim()&&c.trimStart().startsWith(i)&&(l=o+[...c.slice(0,c.indexOf(i)+i.length)].length),i.replaceAll("▁","")||(l=o+/^\s*/u.exec(s.slice(o,l).join(""))[0].length);let h=s.slice(o,l).join("");return o=l,h})}var Gs=/^▁?(<unk>|\[UNK\])$/;function Rt(e,t){let n=r.words?Ts(e):e.spelled.map((i,a)=>[a]),s=Ei(e,t),o=i=>{let a=e.spelled[i],l=s[i].trim();return Gs.test(a)&&l&&!Gs.test(l)?`<unk: ${l}>`:a};return{groups:n,labels:n.map(i=>i.map(o).join("")),pieces:n.map(i=>i.map(a=>s[a]).join("")),direction:me(t)}}var Ht=(e,t)=>{let n=e.groups.findIndex(s=>s.at(-1)>=t);return n<0?e.groups.length-1:n};function _i({rows:e,keys:t,shares:n,seen:s}){let{text:o,target:i,token_log_probs:a}=s,l=Rt(e,i??o),c=Rt(t,o),h=xs(n),u=r.words?an(h,l.groups,c.groups):h;i===null&&a.length&&(l.groups=l.groups.map(w=>w.map(T=>T+1)));let p=Ht(l,r.step),g=Oe(u,p),$=g.indexOf(Math.max(...g));return{kind:"flow",weights:u,rows:l,keys:c,row:p,best:$,key:r.source!==null&&r.source<t.spelled.length?Ht(c,r.source):$}}function Mi(){let{tokens:e,weights:t}=r.inspection,n=Object.keys(e),s=r.head.startsWith(ne)?r.head.slice(ne.length):"",o=[...t.keys()].filter(a=>L(a)===s),i=n.includes("cross")?"cross":n.at(-1);return o.length?o:[...t.keys()].filter(a=>a.startsWith(`${i}.`))}var Mt=null;function Oi(e){return(Mt?.of.length!==e.length||e.some((t,n)=>t!==Mt.of[n]))&&(Mt={of:e,mean:vs(e)}),Mt.mean}function un(){let e=r.inspection;if(!e)return null;if(r.head.startsWith(B))return r.flow?_i(r.flow):null;let t=e.weights.has(r.head)?[r.head]:Mi(),n=t[0].split(".")[0],s=e.tokens[n],o=t.length>1?Oi(t.map($=>e.weights.get($))):e.weights.get(t[0]),i=e.target!==null,a=Rt(s.rows,i&&n!=="encoder"?e.target:e.text),l=Rt(s.keys,i&&n==="decoder"?e.target:e.text),c=r.words?an(o,a.groups,l.groups):o,h=Ht(a,Math.min($t(n)?r.step:r.source??0,s.rows.spelled.length-1)),u=Oe(c,h),p=u.indexOf(Math.max(...u)),g=$t(n)?r.source:r.key;return{kind:n,weights:c,rows:a,keys:l,row:h,best:p,key:g!==null&&g<s.keys.spelled.length?Ht(l,g):p}}function V({kind:e,rows:t,keys:n},s,o){let i=(l,c)=>l.groups[Math.max(0,Math.min(c,l.groups.length-1))][0],a={row:i(t,s),key:i(n,o)};f($t(e)?{step:a.row,source:a.key}:{source:a.row,key:a.key})}var ge=null,Js=()=>ge,Ot=null;function Ri(e){let t=Math.min(r.share,.5),n=Math.max(1,Math.floor(Ai/e.rows));if(Ot?.weights!==e||Ot.share!==t){let s=Array.from({length:e.rows},(o,i)=>{let a=Oe(e,i);return[...St(a,t)].slice(0,n).map(l=>({row:i,key:l,weight:a[l]}))}).flat();Ot={weights:e,share:t,edges:s}}return Ot.edges}function Hi(e){let{weights:t,rows:n,keys:s,row:o}=e,i=b=>b.labels.map(A=>Math.max(22,9*[...k(A)].length+10)),a=b=>b.reduce((A,I)=>A+I,0),l=i(s),c=i(n),h=Math.max(a(l),a(c))+4,u=(b,{direction:A})=>{let I=0;return b.map(j=>(I+=j)-j/2).map(j=>A==="rtl"?h-j:j)},p=u(l,s),g=u(c,n),$=Oe(t,o),w=[...St($,r.share)].map(b=>({row:o,key:b,weight:$[b]})),T=[...r.alone?[]:Ri(t).filter(b=>b.row!==o),...w];return d`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${h}
      height="170"
      role="img"
      aria-label="Curves from each token below to the tokens above that it looks at"
    >
      ${T.map(b=>Y`<path class=${b.row===o?"edge here":"edge"} data-row=${b.row} data-key=${b.key} data-weight=${b.weight.toFixed(3)}
      opacity=${Math.max(.05,b.row===o?b.weight:.35*b.weight)} stroke-width=${1+3*b.weight}
      d="M ${g[b.row]} 142 C ${g[b.row]} 85, ${p[b.key]} 85, ${p[b.key]} 28"></path>`)}
      ${s.labels.map((b,A)=>Y`<text x=${p[A]} y="18" class=${A===e.key?"here":""} @click=${()=>V(e,o,A)}>\u2068${k(b)}\u2069</text>`)}
      ${n.labels.map((b,A)=>Y`<text x=${g[A]} y="160" class=${A===o?"here":""} @click=${()=>V(e,A,e.key)}>\u2068${k(b)}\u2069</text>`)}
    </svg>
  </div>`}function Ci({weights:e,rows:t,keys:n,row:s,key:o}){let i=(a,l)=>{let c=Math.max(0,Math.min(a-2,l-Us));return Array.from({length:Math.min(Us,l)},(h,u)=>c+u)};return d`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${i(s,e.rows).map(a=>d`<tr>
            ${i(o,e.keys).map(l=>d`<td
                  role="gridcell"
                  aria-label="${k(t.labels[a])} → ${k(n.labels[l])} ${te(e,a,l)?"forbidden":G(e,a,l).toFixed(2)}"
                ></td>`)}
          </tr>`)}
    </tbody>
  </table>`}function Vs(e,t,n,s,o,i){let[a,l,c]=H("heat"),{direction:h}=n,u=n.pieces.map(p=>({token:p}));return d`<p id=${e} class="tokens" dir=${h} role="group" aria-label=${t}>
    ${n.pieces.map((p,g)=>{let $=o(g),w=p!==""&&!/\p{Letter}/u.test(p),T=_({background:$?`rgba(${a}, ${l}, ${c}, ${(.85*$).toFixed(3)})`:"",color:$>.6?"var(--paper)":""}),b=`part ${g===s?"here":""}`,[,A,I]=/^(\s*)([^]*)$/u.exec(p);return Je(u,g)?d`${A}<span class=${b} @click=${()=>i(g)} ${T}>${I}</span>`:d`<bdi class=${p?"":"symbol"} dir=${w?h:"auto"} @click=${()=>i(g)}
        >${I?A:m}<span class=${b} ${T}
          >${I||p||k(n.labels[g])}</span
        ></bdi
      >`})}
  </p>`}function Pi(e){let t=r.inspection?.target!==null;return e==="flow"?`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${r.flow?.caveat}`:e==="cross"?"Each row is a token of the output, as it is predicted; each column is a token of the input.":e==="decoder"&&t?"Each row is a token of the output, as it is predicted; each column is a token before it.":e==="decoder"?"Each row is a token of the text; each column is a token that it looks at: itself, or one before it.":`Each row is a token of the ${t?"input":"text"}; each column is a token of the same text that it looks at.`}function Li(e,t){let{row:n,key:s,weights:o}=e,i=e.keys.direction==="rtl"?-1:1,a={ArrowUp:()=>V(e,n-1,s),ArrowDown:()=>V(e,n+1,s),ArrowLeft:()=>V(e,n,s-i),ArrowRight:()=>V(e,n,s+i),Home:()=>V(e,n,0),End:()=>V(e,n,o.keys-1),n:()=>Te(1),p:()=>Te(-1),PageDown:()=>Se(1),PageUp:()=>Se(-1)};return t.ctrlKey||t.metaKey||t.altKey||!a[t.key]?!1:(a[t.key](),!0)}function Ni(e){let{weights:t,rows:n,keys:s,row:o,key:i}=e,a=c=>{if(!ge)return;let h=c.target.getBoundingClientRect(),u=Math.floor((c.clientX-h.left-ge.left)/ge.size),p=s.direction==="rtl"?t.keys-1-u:u,g=Math.floor((c.clientY-h.top-ge.top)/ge.size);g>=0&&p>=0&&g<t.rows&&p<t.keys&&V(e,g,p)},l=c=>{c&&queueMicrotask(()=>{c.parentElement&&(ge=Bs(c,t,n.labels,s.labels,{row:o,key:i},c.parentElement.clientWidth,s.direction==="rtl"))})};return d`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${r.head}: ${t.rows} rows, ${t.keys} columns. Arrow keys choose a cell."
        ${Ve(l)}
        @pointerdown=${a}
        @keydown=${c=>{Li(e,c)&&c.preventDefault()}}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>weight 0 ${D("heat")} 1</span> <span><i class="forbidden"></i> forbidden by a mask</span>
      <span><i class="stroke here"></i> the chosen token</span> ${r.alone?m:d`<span><i class="stroke"></i> the others</span>`}
      ${v("weight")}
    </p>`}function Bi({kind:e,weights:t,rows:n,keys:s,row:o,key:i,best:a}){let l=t.values instanceof Uint16Array?3:2;return e==="flow"&&!te(t,o,i)?d`<p id="cell" role="status">
      <bdi class="strong">${k(s.labels[i])}</bdi> has a share of
      <span class="strong number">${G(t,o,i).toFixed(l)}</span> in
      <bdi class="strong">${k(n.labels[o])}</bdi>.
    </p>`:d`<p id="cell" role="status">
    <bdi class="strong">${k(n.labels[o])}</bdi> ${te(t,o,i)?"may not look at":d`looks with <span class="strong number">${G(t,o,i).toFixed(l)}</span> at`} <bdi class="strong">${k(s.labels[i])}</bdi>.
    ${i===a?m:d`Most, ${G(t,o,a).toFixed(l)}, goes to <bdi>${k(s.labels[a])}</bdi>.`}
  </p>`}function zs(){let e=(o,i)=>d`<option value=${o} ?selected=${o===r.head}>${i}</option>`,t=[...r.inspection.weights.keys()],n=[...new Set(t.map(L))],s=yt();return d`<label
      >Head
      <select id="head" @change=${o=>void Z(o.target.value)}>
        ${e("mean","mean")}
        ${n.map(o=>d`<optgroup label=${o}>
              ${t.filter(i=>L(i)===o).map(i=>e(i,i))}${e(`${ne}${o}`,`mean of ${o}`)}
            </optgroup>`)}
        ${r.stored?m:d`<optgroup label="Through all layers">${ue.map(o=>e(`${B}${o}`,o))}</optgroup>`}
      </select></label
    >${v("head")}
    ${s?d`<span class="together"
            ><button
              id="aligns"
              aria-pressed=${r.head===s.head}
              @click=${()=>void Z(s.head)}
            >
              ${s.isOfModel?"Alignment head":"Alignment layer of this sentence"}</button
            >${v("alignment")}</span
          >`:m}`}function Ys(){let e=un(),t=r.inspection;if(!e||!t)return d`<section class="panel alignment" aria-labelledby="alignment-title">
      <div class="head"><h2 id="alignment-title">Alignment</h2></div>
      ${r.inspection?zs():m}
      <p class="hint">
        ${y()?"…":"After a translation, this shows which words of the text each word was written from."}
      </p>
    </section>`;let{kind:n,weights:s,rows:o,keys:i,row:a,key:l}=e,c=Oe(s,a),h=St(c,r.share),u=()=>[["row","key","row_token","key_token","weight"],...o.labels.flatMap((g,$)=>i.labels.flatMap((w,T)=>te(s,$,T)?[]:[[$,T,g,w,G(s,$,T).toFixed(4)]]))],p=()=>({head:r.head,rows:o.labels,keys:i.labels,weights:o.labels.map((g,$)=>i.labels.map((w,T)=>te(s,$,T)?null:Number(G(s,$,T).toFixed(4))))});return d`<section
    class="panel alignment ${E()||n==="flow"&&r.flow?.seen!==t?"stale":""}"
    aria-labelledby="alignment-title"
  >
    <div class="head">
      <h2 id="alignment-title">Alignment</h2>
      ${zs()}
      <label
        >Share of a row
        <input
          id="share"
          type="range"
          min="0.1"
          max="1"
          step="0.05"
          .value=${String(r.share)}
          aria-valuetext="${Math.round(100*r.share)} %"
          @input=${g=>f({share:Number(g.target.value)})}
        />
        <span class="number">${Math.round(100*r.share)} %</span></label
      >${v("share")}
      <label
        ><input
          id="words"
          type="checkbox"
          .checked=${r.words}
          @change=${g=>f({words:g.target.checked})}
        />
        words</label
      >${v("words")}
      <label
        ><input
          id="alone"
          type="checkbox"
          .checked=${r.alone}
          @change=${g=>f({alone:g.target.checked})}
        />
        only the chosen token</label
      >
      ${C("alignment",["#curves","#cell","#matrix","#legend"],u,p)}
    </div>
    ${Hi(e)} ${Bi(e)} ${Ni(e)} ${Ci(e)}
    <div class="sides">
      ${Vs("row-tokens","tokens that look",o,a,()=>0,g=>V(e,g,l))}
      ${Vs("key-tokens","tokens that are looked at",i,l,g=>h.has(g)?c[g]:0,g=>V(e,a,g))}
    </div>
    <p class="hint" id="reading">
      ${Pi(n)} ${i.direction==="rtl"?"Its columns run from right to left, as the text does.":m}
      ${n==="flow"?m:`The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1.
      A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written.`}
    </p>
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var Ii=6,Xs=320,Qs=18;function hn(e,t,n){let s=Math.max(...n.map(Math.abs),1e-9),o=Xs/n.length;return d`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Xs} ${Qs}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}"
    >
      ${n.map((i,a)=>Y`<rect x=${a*o} width=${o} height=${Qs} class=${i<0?"less":"more"} opacity=${(Math.abs(i)/s).toFixed(3)}><title>${i.toFixed(3)}</title></rect>`)}
    </svg>
  </div>`}function Fi(e,t){let n=l=>t.scores[l]+t.bias[l],s=t.weights.map((l,c)=>c).filter(l=>t.allowed[l]).sort((l,c)=>n(c)-n(l)),o=s.slice(0,Ii);!o.includes(e.key)&&t.allowed[e.key]&&o.push(e.key);let i=Math.max(...s.map(n)),a=s.reduce((l,c)=>l+Math.exp(n(c)-i),0);return d`<table id="softmax">
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(score − ${i.toFixed(2)})</th>
          <th>÷ ${a.toFixed(2)} = weight</th>
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody>
        ${o.map(l=>d`<tr class=${l===e.key?"strong":""}>
              <td><bdi>${k(e.keys.labels[l])}</bdi></td>
              <td class="number">${n(l).toFixed(2)}</td>
              <td class="number">${Math.exp(n(l)-i).toFixed(3)}</td>
              <td class="number">${t.weights[l].toFixed(3)}</td>
              <td class="fill">
                <span class="track"><span ${_({width:`${100*t.weights[l]}%`})}></span></span>
              </td>
            </tr>`)}
      </tbody>
    </table>
    ${s.length>o.length?d`<p class="hint">and ${s.length-o.length} more keys.</p>`:m}`}function Wi(e,t){let n=d`<bdi class="strong">${k(e.rows.labels[e.row])}</bdi>`,s=d`<bdi class="strong">${k(e.keys.labels[e.key])}</bdi>`,o=t.terms.reduce((h,u)=>h+u,0),i=t.bias[e.key],a=t.scores[e.key],l=r.head.split(".")[0],c=r.inspection.target!==null&&l!=="encoder"?r.inspection.tokens.decoder?.keys.spelled[e.row]:void 0;return d`${c===void 0?m:d`<p class="hint" id="place">The query is made where the model has read <bdi class="strong">${k(c)}</bdi> and is about to write ${n}.</p>`}
    ${hn("query",c===void 0?d`query of ${n}`:d`query before ${n}`,t.query)}
    ${hn("key",d`key of ${s}`,t.key)}
    ${hn("terms",t.is_additive?"v · tanh(query + key)":"their product, number by number",t.terms)}
    ${t.allowed[e.key]?d`<p id="score">
            The sum, <span class="number">${o.toFixed(3)}</span>${t.factor===1?m:d`, times <span class="number">${t.factor.toFixed(3)}</span> (1 ÷ √${t.query.length})`}${i?d`, plus <span class="number">${i.toFixed(3)}</span> for the positions`:m},
            is the score <span class="strong number">${(a+i).toFixed(3)}</span>. Softmax makes weights of the
            scores of a row:
          </p>`:d`<p id="score">
            A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
          </p>`}
    ${Fi(e,t)}
    <p class="legend"><span>below 0 ${D("less")}</span> <span>above 0 ${D("more")}</span></p>`}function Zs(){let e=un(),t=r.inspection;if(!t||!e||r.stored)return m;let n=t.weights.has(r.head);r.isExplained&&!r.words&&$s(e);let{lookup:s}=r,o=r.isExplained&&n&&!r.words&&s!==null,i=E()||o&&s.cell!==sn(e),a=()=>[["key","score","position","allowed","weight"],...s.found.keys.labels.map((l,c)=>{let{scores:h,bias:u,allowed:p,weights:g}=s.of;return[l,h[c],u[c],Number(p[c]),g[c]]})];return d`<section class="panel computed ${i?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">How this weight is computed</h2>
      ${v("lookup")}
      <button id="explain" aria-expanded=${r.isExplained} @click=${()=>f({isExplained:!r.isExplained})}>
        ${r.isExplained?"Hide":"Show"}
      </button>
      ${o?C("computed",[".strip","#score","#softmax"],a,()=>({head:r.head,row:s.found.rows.labels[s.found.row],key_token:s.found.keys.labels[s.found.key],...s.of})):m}
    </div>
    ${r.isExplained?n?r.words?d`<p class="hint">Heads look at tokens, and not at words. Switch “words” off.</p>`:o?Wi(s.found,s.of):d`<p class="hint">…</p>`:d`<p class="hint">What is shown is not one head. Choose a head in the grid.</p>`:d`<p class="hint">
            A token asks with its query, the other tokens answer with their keys: this shows the numbers.
          </p>`}
  </section>`}var Di=36,Ct={place:()=>0,worth:e=>-(r.worth?.[e.head]??0),entropy:e=>e.entropy,sharpness:e=>-e.confidence,offset:e=>e.offset===null?1/0:Math.abs(e.offset),label:()=>0};function pn(){let{heads:e}=r.inspection,t=Object.hasOwn(Ct,r.sortBy)?Ct[r.sortBy]:void 0;return r.sortBy==="label"?[["",[...e].sort((n,s)=>n.label<s.label?-1:+(n.label>s.label))]]:r.sortBy!=="place"&&t?[["",[...e].sort((n,s)=>t(n)-t(s))]]:[...new Set(e.map(n=>L(n.head)))].map(n=>[n,e.filter(s=>L(s.head)===n)])}function eo(e){let t=r.inspection.heads.map(s=>s.head).filter(s=>s!==e),n=r.off.length===t.length&&!r.off.includes(e);ee(n?[]:t,[...r.undo,r.off])}function ji(e,t){let n=pn().map(([,u])=>u.map(p=>p.head)),s=n.findIndex(u=>u.includes(t)),o=n[s].indexOf(t),i=n.flat(),a=i.indexOf(t),l=(u,p)=>u[Math.max(0,Math.min(p,u.length-1))],c={ArrowLeft:()=>l(i,a-1),ArrowRight:()=>l(i,a+1),ArrowUp:()=>l(l(n,s-1),o),ArrowDown:()=>l(l(n,s+1),o),Home:()=>n[s][0],End:()=>n[s].at(-1)},h={n:()=>Te(1),p:()=>Te(-1),PageDown:()=>Se(1),PageUp:()=>Se(-1)};if(!(e.ctrlKey||e.metaKey||e.altKey)){if(e.key in c)f({head:c[e.key]()});else if(e.key in h)h[e.key]();else if(e.key===" "&&q())Ee(e.shiftKey?n.find(u=>u.includes(t)).filter(u=>L(u)===L(t)):[t]);else if(e.key==="s"&&q())eo(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${r.head}"]`)?.focus())}}function Ki(e){let t=Math.max(...Object.values(r.worth??{}),1e-9),[n,s,o]=H("more");return{background:`rgba(${n}, ${s}, ${o}, ${(.4*Math.max(0,e)/t).toFixed(3)})`}}function qi(e,t){let n=r.inspection.weights.get(e.head),s=r.off.includes(e.head),o=r.worth?.[e.head],i=`${e.head}: ${e.label}, entropy ${e.entropy.toFixed(2)} nats, highest weight ${e.confidence.toFixed(2)}${e.offset===null?"":`, offset ${e.offset.toFixed(1)}`}${o===void 0?"":`, worth ${o.toFixed(3)} nats per token`}`;return d`<button
    class="cell ${s?"off":""}"
    aria-pressed=${r.head===e.head}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${e.head}
    tabindex=${t?0:-1}
    @click=${()=>f({head:e.head})}
    @keydown=${a=>ji(a,e.head)}
  >
    <canvas
      ${Ve(a=>{a&&Ls(a,n,Di)})}
    ></canvas>
    ${r.sortBy==="place"||!Object.hasOwn(Ct,r.sortBy)?m:d`<span class="tag" aria-hidden="true">${e.head.replace(/^(\w)\w+/,"$1")}</span>`}
    ${o===void 0?m:d`<span class="tag number" aria-hidden="true" ${_(Ki(o))}>${o.toFixed(2).replace("-0.00","0.00")}</span>`}
  </button>`}function Ui(e){let t=r.inspection.heads.map(s=>s.head).filter(s=>L(s)===L(e.head)),n=r.worth?.[e.head];return d`<p class="chosen">
    <span class="strong" id="head-title">${e.head}</span>:
    <span id="statistics"
      >${e.label}${v("label")}; entropy ${e.entropy.toFixed(2)} nats${v("entropy")}, highest weight
      ${e.confidence.toFixed(2)}${v("highest")}${e.offset===null?m:d`, offset ${e.offset.toFixed(1)}${v("offset")}`},
      mean over rows.${n===void 0?m:d` Worth ${n.toFixed(3)} nats per token.`}</span
    >
    ${q()?d`<button id="toggle" data-unsaved @click=${()=>Ee([e.head])}>
              ${r.off.includes(e.head)?"Switch on":"Switch off"}
            </button>
            <button id="solo" data-unsaved @click=${()=>eo(e.head)}>Solo</button>
            <button
              data-unsaved
              @click=${()=>ee(t.filter(s=>s!==e.head),[...r.undo,r.off])}
            >
              Solo in its layer
            </button>`:m}
  </p>`}function Gi(){let e=pn().flatMap(([,u])=>u.map(p=>p.head)),t=e.map(u=>r.worthByToken[u]??[]),n=r.looked,s=Math.max(...t.map(u=>u.length)),o=S()?0:1;if(!r.worth||!n||!s)return m;let i=ve(),a=Math.max(0,Math.min(r.step-o,s-1)),l=e.findIndex((u,p)=>u===r.head&&t[p].length),c=u=>{let p=u.target.getBoundingClientRect(),g=(w,T,b)=>Math.max(0,Math.min(b-1,Math.floor(w/T*b))),$=g(u.clientX-p.left,p.width,s);f({head:e[g(u.clientY-p.top,p.height,e.length)],step:Math.min($+o,n.tokens.length-1)})},h=l<0?"":`${e[l]} is worth ${t[l][a].toFixed(3)} nats for ${k(i[a]??"")}.`;return d`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${h}"
      ${Ve(u=>{u&&Ns(u,t,s)})}
      ${_({height:`${Math.min(5*e.length,480)}px`})}
      @pointerdown=${c}
    ></canvas>
    <p id="sweep-cell" role="status">${h||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${D("less")}</span> <span>less likely ${D("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${S()?", the end included":" after the first"}.
    </p>
  </details>`}function to(){let e=r.inspection;if(!e)return d`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let t=e.heads.find(i=>i.head===r.head),n=pn(),s=t?.head??n[0]?.[1][0]?.head,o=()=>[["head","label","entropy","highest_weight","offset","worth",...r.worth?ve():[]],...e.heads.map(i=>[i.head,i.label,i.entropy,i.confidence,i.offset,r.worth?.[i.head]??null,...r.worth?r.worthByToken[i.head]??[]:[]])];return d`<section class="panel heads ${E()?"stale":""}" aria-labelledby="heads-title">
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      <label
        >Order
        <select id="order" @change=${i=>f({sortBy:i.target.value})}>
          ${Object.keys(Ct).filter(i=>i!=="worth"||r.worth).map(i=>d`<option value=${i} ?selected=${i===r.sortBy}>${i}</option>`)}
        </select></label
      >
      ${!Ie()||!q()?m:d`<button id="rank" @click=${()=>qe()}>Rank all heads</button>${v("worth")}`}
      ${r.off.length?d`<button @click=${()=>fe("heads-off.txt",`${r.off.join(`
`)}
`)}>List of heads that are off</button>`:m}
      ${C("heads",["#heads","#sweep",".chosen"],o,()=>e.heads.map(i=>({...i,is_off:r.off.includes(i.head),worth:r.worth?.[i.head]??null,worth_by_token:r.worthByToken[i.head]??null})))}
    </div>
    <div id="heads">
      ${n.map(([i,a])=>d`<div class="layer" role="group" aria-label=${i||"all heads"}>
            ${i?q()?d`<button
                      class="site"
                      title="Switch the whole layer off or on"
                      @click=${()=>Ee(a.map(l=>l.head))}
                    >
                      ${i}
                    </button>`:d`<span class="site">${i}</span>`:m}
            <div class="cells ${i?"":"sorted"}" ${_({"--count":String(a.length)})}>
              ${a.map(l=>qi(l,l.head===s))}
            </div>
          </div>`)}
    </div>
    ${Gi()} ${t?Ui(t):m}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one.
      ${q()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":""}
    </p>
  </section>`}function no(e,t="start"){requestAnimationFrame(()=>{let n=document.querySelector(e),s=matchMedia("(prefers-reduced-motion: reduce)").matches;if(!n)return;let{top:o}=n.getBoundingClientRect();t==="start"&&o>=0&&o<innerHeight/2||n.scrollIntoView({behavior:s?"auto":"smooth",block:t})})}function Vi(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let s=!1;try{s=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),s}async function so(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=Vi(e)}ss(t?"Copied.":"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var mn=50;async function oo(e){await O("file",`Translating ${e.name}`,async t=>{let n=await e.text(),s=/\.html?$/i.test(e.name),o=s?[n]:n.split(`
`),i=[];for(let c=0;c<o.length;c+=mn){let h=o.slice(c,c+mn),{translations:u}=await P("translate",{...Q(),...We(),texts:h,format:s?"html":"text"},t);u.forEach((p,g)=>{if(p.error)throw new F(400,`Line ${c+g+1} of ${e.name}: ${p.error.message}`);i.push(p.text??"")}),f({busy:{...r.busy,file:`Translating ${e.name}: ${Math.min(c+mn,o.length)} of ${o.length} lines`}})}let[,a,l]=/^(.*?)(\.[^.]*)?$/.exec(e.name);fe(`${a}.${x()?.target??"translated"}${l??".txt"}`,i.join(`
`),s?"text/html":"text/plain")})}var zi=/\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{M}\p{N}]+|./gu;var be=e=>[...e.matchAll(zi)].map(({0:t,index:n})=>({text:t,begin:n}));function Pt(e,t){let n=h=>h.map(u=>u.text).filter(u=>u.trim()),s=n(e),o=n(t),i=0,a=0;for(;i<Math.min(s.length,o.length)&&s[i]===o[i];)i++;for(;a<Math.min(s.length,o.length)-i&&s.at(-1-a)===o.at(-1-a);)a++;let l=Ji(s.slice(i,s.length-a),o.slice(i,o.length-a)),c=(h,u,p)=>{let g=new Set(l.map(w=>w[u]+i)),$=-1;return h.map(w=>w.text.trim()!==""&&++$>=i&&$<p-a&&!g.has($))};return[c(e,0,s.length),c(t,1,o.length)]}function Ji(e,t){let n=[],s=t.length+1;if(e.length*t.length>4e6)return n;let o=new Uint32Array((e.length+1)*s);for(let i=e.length-1;i>=0;i--)for(let a=t.length-1;a>=0;a--)o[i*s+a]=e[i]===t[a]?o[(i+1)*s+a+1]+1:Math.max(o[(i+1)*s+a],o[i*s+a+1]);for(let i=0,a=0;i<e.length&&a<t.length;)e[i]===t[a]?n.push([i++,a++]):o[(i+1)*s+a]>=o[i*s+a+1]?i++:a++;return n}function io(e,t){let n=be(e),s=be(t),[o,i]=Pt(n,s);return[n.filter((a,l)=>o[l]).map(a=>a.text),s.filter((a,l)=>i[l]).map(a=>a.text)]}function Re(e,t,n=!1){let s=be(e),[o]=Pt(s,be(t));return d`${s.map(({text:i},a)=>o[a]?n?d`<del>${i}</del>`:d`<mark>${i}</mark>`:i)}`}var Yi=e=>/^<[^<>]+>$/.test(e),ro=e=>Yi(e)?`
`:e.replaceAll("▁"," ");function fn({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(a=>ro(a.token)),s=be(n.join("")),[o]=Pt(s,be(t.tokens.map(a=>ro(a.token)).join(""))),i=0;return n.map(a=>{let l=i;return i+=a.length,s.some((c,h)=>o[h]&&c.begin<i&&c.begin+c.text.length>l)})}function ao(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function Xi(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function Lt({text:e,target:t,tokens:n,token_log_probs:s}){let o=Object.values(n).at(-1).rows.spelled,i=t!==null&&o.length>1&&Object.values(n).at(-1).rows.offsets.at(-1)===null,a=t===null?1:0;return{source:e,text:t??e,ids:[],score:0,nBest:[],how:{},index:0,prefix:"",original:null,edit:null,isDone:!0,tokens:(i?o.slice(0,-1):o).map((l,c)=>({token:l,log_prob:s[c-a]??null,alternatives:[]}))}}async function lo(e,t){let{inspection:n}=e,s=await Xi(e.packed),o=e.bytes===2?new Uint16Array(s):new Uint8Array(s),i=e.bytes===2?65535:255;n.weights=new Map;let a=0;for(let{heads:h,rows:u,keys:p}of e.parts)for(let g of h)n.weights.set(g,{rows:u,keys:p,values:o.subarray(a,a+=u*p),scale:i-1,forbidden:i});let l=n.weights.has(t.head??""),c=Lt(n);f({stored:{note:e.note,says:e.says},inspection:n,sentences:[c],looked:c,text:n.text,textOf:n.text,...t,head:l?t.head:e.first,off:[],at:0})}var Qi=5,co=[20,50,100,200];async function Zi(e,t,n){let s={model:x().name,prompt:e,...t,logprobs:Qi,echo:!0},{choices:[{text:o,logprobs:i}]}=await P("v1/completions",s,n);return{text:o,ids:i.token_ids,tokens:i.tokens.map((a,l)=>({token:a.replaceAll(" ","▁"),log_prob:i.token_logprobs[l]??null,alternatives:Object.entries(i.top_logprobs[l]??{}).sort((c,h)=>h[1]-c[1])}))}}async function er(e,t){let{name:n,max_tokens:s=1/0}=x();if(!e.trim())return s-1;let{tokens:o}=await P("inspect",{model:n,text:e},t);return s-Object.values(o)[0].keys.spelled.length}async function gn(e=r.text,t=null,n=""){let s=t===null?null:y()?.original??y()??null,o=r.text;await O("translate","Writing",async i=>{let a=Math.min(r.length,await er(e,i));if(a<1)throw new Error(`The text has as many tokens as the model can read: ${x().max_tokens}.`);let l={max_tokens:a,temperature:r.temperature,seed:r.seed},{text:c,tokens:h,ids:u}=await Zi(e,l,i),p=u.slice(0,x().max_tokens??u.length),g=await ye({model:x().name,text:c,ids:p},i),$=Lt(g).tokens,w={source:e,text:c,ids:p,score:0,nBest:[],how:l,index:0,prefix:"",original:s,isDone:!0,edit:t===null?null:{forced:t,token:n,text:e,ids:[]},tokens:$.map((T,b)=>({...T,alternatives:h[b]?.alternatives??[]}))};f({sentences:[w],textOf:o,at:0,step:Math.max(0,Math.min(t??0,$.length-1)),traced:null,moved:null,peek:null}),Ke(g,w)}),r.off.length&&!E()&&await z()}async function bn(e,t){let n=y().tokens.slice(0,e).map(o=>o.token),s=o=>/^<[^<>]+>$/.test(o);N(),await xt(()=>gn([...n.filter(o=>!s(o)),t].join("").replaceAll("▁"," ").trimStart(),e,t))}async function tr(){let{text:e}=r;await O("translate","Reading",async t=>{let n=await ye({model:x().name,text:e},t),s=Lt(n),o=n.predicted?.length?{...await P(`inspect/${n.id}/flow/gradient`,void 0,t),seen:n}:null;f({sentences:[s],textOf:e,at:0,step:0,traced:null,moved:o}),Ke(n,s)}),r.off.length&&!E()&&await z()}async function Nt(){xe(),N(),await Xe()}async function Xe(){if(S())return await cs();let e=K(),{step:t}=r;await(x()?.arch==="decoder"?gn():tr());for(let{forced:n,text:s,token:o}of e?.edits??[])K()===e&&n!==null&&x()?.arch==="decoder"&&await gn(s,n,o);e?.ranked&&K()===e&&await qe(),e&&K()===e&&(xe(),f({step:Math.max(0,Math.min(t,(y()?.tokens.length??1)-1))}))}function uo(e){let t=x();f({direction:e,off:[],head:"mean",step:0,source:null,numTokens:null}),$n(t),r.text.trim()&&Nt()}function $n(e){let t=x();(!(e?.arch===t?.arch&&e?.task===t?.task&&!!e?.direction===S())||!r.text.trim())&&f({sentences:[],textOf:"",translatedHtml:"",...Fe})}var nr=300,ho=0;function sr(e){f({text:e,isHtml:r.isHtml&&/<\/?[a-z][^>]*>/i.test(e)}),clearTimeout(ho),ho=window.setTimeout(()=>{Ae(),r.live&&U()},nr)}var Qe=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`;function po(e){if(e===null)return{background:""};let[t,n,s]=H("doubt"),o=Math.min(1,-e/3);return{background:`rgba(${t}, ${n}, ${s}, ${(.55*o).toFixed(3)})`}}function mo(e,t){let n=r.at!==e;f({at:e,step:t,compared:n?null:r.compared}),n&&W()}function or(e,t,n){let s=r.sentences[t].tokens.length,o=getComputedStyle(e.target).direction==="rtl",a={ArrowLeft:n+(o?1:-1),ArrowRight:n+(o?-1:1),Home:0,End:s-1}[e.key];a===void 0||a<0||a>=s||e.ctrlKey||e.metaKey||e.altKey||(e.preventDefault(),mo(t,a),document.querySelector(`[data-sentence="${t}"] [data-place="${a}"]`)?.focus())}function ir(e,t,n,s){let o=e.tokens[t],i=r.at===n&&r.step===t,a=e.edit?.forced===t&&e.edit.token===o.token,l=r.at===n?i||t===0&&r.step>=e.tokens.length:t===0,c=Je(e.tokens,t);return d`<button
    class="token ${s?"new":""} ${a?"forced":""} ${c}"
    ${_(po(o.log_prob))}
    aria-pressed=${i}
    tabindex=${l?0:-1}
    data-place=${t}
    aria-description=${o.log_prob===null?"":Qe(o.log_prob)}
    title=${a?"written by you":m}
    @click=${()=>mo(n,t)}
    @keydown=${h=>or(h,n,t)}
    @pointerenter=${h=>{h.pointerType!=="touch"&&ar(h,n,t)}}
    @pointerleave=${fo}
    dir="auto"
  >
    ${k(o.token)}
  </button>`}var rr=200,Bt=0;function ar(e,t,n){let{left:s,bottom:o}=e.target.getBoundingClientRect();clearTimeout(Bt),r.sentences[t]?.tokens[n]?.alternatives.length&&f({peek:{at:t,place:n,left:s,top:o}})}function fo(){clearTimeout(Bt),Bt=window.setTimeout(()=>{r.peek&&f({peek:null})},rr)}var lr=280;function wn(e){let{peek:t}=r,n=t&&r.sentences[t.at],s=n?.tokens[t.place];if(!t||!n||!s||t.at===r.at&&t.place===r.step)return m;let o=i=>{f({at:t.at,step:t.place,peek:null}),e(t.place,i)};return d`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(Bt)}
    @pointerleave=${fo}
    ${_({left:`${Math.max(8,Math.min(t.left,innerWidth-lr-8))}px`,top:`${t.top}px`})}
  >
    ${go(n,s,o,-1)}
  </div>`}function go(e,t,n,s){return t.alternatives.map(([o,i])=>d` <button
        class="bar ${o===t.token?"own":""}"
        tabindex=${s}
        ?disabled=${o===t.token||!e.isDone||!ms(o)}
        @click=${()=>n(o)}
      >
        <bdi>${k(o)}</bdi
        ><span class="track"><span ${_({width:`${100*Math.exp(i)}%`})}></span></span>
        <span class="number">${Qe(i)}</span>
      </button>`)}function yn(e){let t=y(),n=t?.tokens[r.step];return!t||!n?.alternatives.length?m:d`<div
    class="alternatives"
    role="group"
    aria-label="Other tokens in the place of ${k(n.token)}"
  >
    <p class="hint">
      In the place of <bdi class="strong">${k(n.token)}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${go(t,n,s=>void e(r.step,s),0)}
  </div>`}function Ze(e,t){let n=fn(e),{original:s}=e;return d`<p
      class="output"
      dir=${me(ie(e.tokens.map(o=>o.token)))}
      data-sentence=${t}
      role="group"
      aria-label="Sentence ${t+1}"
    >
      ${e.tokens.map((o,i)=>d`${i&&o.token.startsWith("▁")?" ":m}${ir(e,i,t,n[i])}`)}${e.isDone||!r.busy.translate?m:d`<span class="caret"></span>`}
    </p>
    ${s&&e.isDone?d`<p class="before hint">
            before: <bdi>${Re(s.text,e.text,!0)}</bdi> ${t===r.at?d`<button id="take-back" data-unsaved @click=${()=>void gs()}>Take it back</button>`:m}
          </p>`:m}`}function cr(){let e=y(),t=(e?.nBest??[]).filter((n,s,o)=>o.findIndex(i=>i.text===n.text)===s);return!e?.isDone||t.length<2?m:d`<div class="nbest">
    <p class="hint">The best translations${v("best")}</p>
    <ol>
      ${t.map(n=>n.text?d`<li>
              <button
                class="link"
                aria-pressed=${n.text===e.text}
                @click=${()=>{N(),pe(n)}}
              >
                <bdi>${n.text}</bdi>
              </button>
              <span class="number">${n.score.toFixed(3)}</span>
              ${n.text===e.text?m:d`<button class="compare" aria-pressed=${r.compared!==null&&tn(n,r.compared)} @click=${()=>je(n)}>compare</button>`}
            </li>`:d`<li><span class="hint">nothing</span> <span class="number">${n.score.toFixed(3)}</span></li>`)}
    </ol>
  </div>`}function dr(){let e=y(),t=r.compared;if(!e?.isDone||!t)return m;let n=s=>s.tokens.reduce((o,i)=>o+(i.log_prob??0),0);return d`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t).toFixed(2)}</span> in place of
      <span class="strong number">${n(e).toFixed(2)}</span> (the end not counted). Marked words are not in the one
      above.
    </p>
    <p class="output" dir=${me(t.text)}>
      ${t.tokens.map((s,o)=>d`${o&&s.token.startsWith("▁")?" ":m}<span
              class="token ${Je(t.tokens,o)}"
              dir="auto"
              title=${Qe(s.log_prob)}
              ${_(po(s.log_prob))}
              >${k(s.token)}</span
            >`)}
    </p>
    <p dir="auto">${Re(t.text,e.text)}</p>
  </div>`}var et=()=>d`<p class="legend" id="doubts">
    <span>the model was sure ${D("doubt",.55)} unsure</span> ${ur()?d`<span><u class="new">underlined</u>: other than before</span>`:m}
    ${y()?.edit?.forced!=null?d`<span><span class="token forced">framed</span>: written by you</span>`:m}
    ${v("probability")}
  </p>`,ur=()=>r.sentences.some(e=>fn(e).some(Boolean));function tt(){return[["sentence","place","token","log_prob","alternative","its_log_prob"],...r.sentences.flatMap((e,t)=>e.tokens.flatMap((n,s)=>(n.alternatives.length?n.alternatives:[["",null]]).map(([o,i])=>[t,s,n.token,n.log_prob,o,i])))]}function kn(){return r.models.length<2?d`<span class="hint">${/^und-und(-x-|$)/.test(r.direction)?m:r.direction}</span>`:d`<select
    id="model"
    aria-label="Model"
    @change=${e=>{uo(e.target.value)}}
  >
    ${r.models.map(e=>d`<option value=${se(e)} ?selected=${se(e)===r.direction}>${se(e)}</option>`)}
  </select>`}function hr(){return d`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,s=n.files?.[0];s&&oo(s),n.value=""}}
  /></label>`}function bo(){let e=x()?.examples??[],t=!!r.busy.translate,n=X()||t&&r.sentences.every(o=>o.isDone),s=r.translatedHtml!==""||r.sentences.length>0&&r.sentences.every(o=>o.isDone);return d`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head">
          <h2 id="translate-title">Text</h2>
          ${kn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${r.text}
          @input=${o=>sr(o.target.value)}
          @keydown=${o=>{o.key==="Enter"&&(o.ctrlKey||o.metaKey)&&(N(),U())}}
        ></textarea>
        <div class="controls">
          <button
            class="primary"
            @click=${()=>{N(),U()}}
            ?disabled=${!r.text.trim()}
          >
            Translate
          </button>
          ${r.busy.translate?d`<button @click=${()=>oe("translate")}>Stop</button>`:m}
          <label
            ><input
              type="checkbox"
              .checked=${r.live}
              @change=${o=>f({live:o.target.checked})}
            />
            while typing</label
          >
          <label
            >Beam
            <select
              id="beam"
              @change=${o=>{f({beam:Number(o.target.value),temperature:0}),U()}}
            >
              ${[...new Set([1,2,3,5,8,12,r.beam])].sort((o,i)=>o-i).map(o=>d`<option value=${o} ?selected=${!r.temperature&&o===r.beam}>${o}</option>`)}
            </select></label
          >${v("beam")}
          <label
            >Sampling
            <select
              id="temperature"
              @change=${o=>{f({temperature:Number(o.target.value)}),U()}}
            >
              ${[...new Set([0,.5,.8,1,1.3,r.temperature])].sort((o,i)=>o-i).map(o=>d`<option value=${o} ?selected=${o===r.temperature}>${o||"off"}</option>`)}
            </select></label
          >${v("sampling")}
          ${r.temperature&&r.text.trim()?d`<button
                  id="again"
                  @click=${()=>{f({seed:r.seed+1}),U()}}
                >
                  Draw again
                </button>`:m}
          ${/<\/?[a-z][^>]*>/i.test(r.text)?d`<label
                  ><input
                    id="html"
                    type="checkbox"
                    .checked=${r.isHtml}
                    @change=${o=>{f({isHtml:o.target.checked}),U()}}
                  />
                  as HTML</label
                >`:m}
          ${r.numTokens===null?m:d`<span id="count" class="hint ${r.numCut?"warning":""}"
                    >${r.numTokens}
                    tokens${r.numCut?`; ${r.numCut===1?"1 sentence is":`${r.numCut} sentences are`} cut`:""};
                    a sentence may have ${r.maxTokens}, the longest has ${r.longest}</span
                  >${v("tokens")}`}
          ${hr()}
        </div>
        ${r.text||!e.length?m:d`<p class="hint">
                For example:
                ${e.map(o=>d`<button
                      class="link"
                      @click=${()=>{N(),f({text:o}),Ae(),U()}}
                    >
                      ${o}
                    </button> `)}
              </p>`}
      </div>
      <div>
        <div class="head">
          <h2>Translation</h2>
          ${s?d`<button id="copy" @click=${()=>void so(r.translatedHtml||r.sentences.map(({gap:o,text:i})=>`${o??""}${i}`).join(""))}>Copy</button>`:m}
          ${r.sentences.some(o=>o.isDone)?C("translation",["#output","#doubts",".alternatives"],tt,()=>r.sentences):m}
        </div>
        <div class=${n?"stale":""} aria-busy=${t}>
          <div id="output" aria-live="polite">
            ${r.translatedHtml?d`<pre class="html">${r.translatedHtml}</pre>`:r.sentences.length?r.sentences.map(Ze):d`<p class="hint">
                      The translation appears here, token by token. The stronger a token is coloured, the less sure the
                      model was of it.
                    </p>`}
          </div>
          ${X()&&!t?d`<p class="hint" id="other-text">This is the translation of another text than the one that stands there now.</p>`:m}
          ${r.sentences.length?et():m}
          <div class="beside">${yn(en)} ${cr()}</div>
          ${dr()}
        </div>
        ${wn(en)}
      </div>
    </div>
  </section>`}var pr=.9,xn=0;function mr(){f({isPlaying:!r.isPlaying}),clearInterval(xn),r.isPlaying&&(xn=window.setInterval(()=>{let e=(r.looked?.tokens.length??1)-1;r.step>=e?(clearInterval(xn),f({isPlaying:!1})):f({step:r.step+1})},1e3*pr))}function fr(e,t,n){return d`<div class="lens" role="list">
      ${e.map((s,o)=>{let[i,a]=s[t]??["",0];return d`<div class="change" role="listitem">
          <span>${o?`layer ${o-1}`:"embeddings"}</span
          ><span class="track"><span ${_({width:`${100*a}%`})}></span></span>
          <bdi class=${i===n?"strong":""}>${k(i)}</bdi
          ><span class="number">${(100*a).toFixed(0)} %</span>
        </div>`})}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the logit lens). Early layers were not trained for this: read
      it as a hint.
    </p>`}function $o(){let e=r.looked,t=r.inspection;if(!t||!e)return m;let n=Math.max(0,e.tokens.length-1),s=Math.min(r.step,n),o=e.tokens[s],i=()=>[["step","layer","token","probability"],...t.lens.flatMap((l,c)=>l.map(([h,u],p)=>[p,c?c-1:"embeddings",h,u]))],a=t.target===null&&t.token_log_probs.length>0;return d`<section class="panel layers ${E()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${t.lens.length?v("lens"):m}
      ${t.lens.length?C("layers",[".lens"],i,()=>({tokens:e.tokens.map(l=>l.token),layers:t.lens})):m}
    </div>
    <div class="controls">
      <button id="play" @click=${mr} aria-label=${r.isPlaying?"Pause":"Play"}>
        ${r.isPlaying?"❚❚":"▶"}
      </button>
      <input
        id="step"
        type="range"
        min="0"
        max=${n}
        step="1"
        .value=${String(s)}
        aria-label="Token"
        aria-valuetext=${k(o?.token??"")}
        @input=${l=>f({step:Number(l.target.value)})}
      />
      <span
        >token ${s+1} of ${n+1}:
        <bdi class="strong">${k(o?.token??"")}</bdi>
        ${typeof o?.log_prob=="number"?d`<span id="probability">${Qe(o.log_prob)}</span>`:m}</span
      >
    </div>
    ${a&&t.lens.length?d`<p class="hint">After this token, each layer would write:</p>`:m}
    ${t.lens.length?fr(t.lens,s,e.tokens[a?s+1:s]?.token):d`<p class="hint">
            ${r.stored?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer."}
          </p>`}
    ${r.stored?m:d`<p class="flows">
            <span class="hint">What reached the output through all layers:</span> ${ue.map(l=>d`<button
                  aria-pressed=${r.head===`${B}${l}`}
                  @click=${()=>{Z(`${B}${l}`),no(".alignment")}}
                >
                  ${l.replace("-"," ")}
                </button>`)}${v("flow")}
          </p>`}
    ${r.flow&&r.head.startsWith(B)?d`<p class="hint" id="caveat">The alignment shows it. ${r.flow.caveat}</p>`:m}
  </section>`}function gr(){let e=r.inspection?.predicted;if(!e?.length)return m;let t=x()?.task==="classify";return d`<div id="predicted" role="list">
      ${e.map(n=>d`<div class="change" role="listitem">
            <bdi>${k(n.label)}</bdi>
            <span class="track"><span ${_({width:`${100*n.prob}%`})}></span></span
            ><span class="number">${(100*n.prob).toFixed(0)} %</span>
          </div>`)}
    </div>
    ${r.moved?d`<p class="legend"><span>moved it little ${D("heat",.6)} much</span> ${v("moved")}</p>
            <p class="hint">
              The tokens that moved ${t?"the likeliest class":"the chosen token"}: the stronger the colour,
              the more. ${r.moved.caveat}
            </p>`:m}`}function br(){let e=y(),t=r.moved?.shares[r.moved.shares.length===1?0:Math.min(r.step,r.moved.shares.length-1)];if(!e||!r.inspection)return m;let[n,s,o]=H("heat");return d`<p class="output" id="moved" dir=${me(e.text)}>
    ${e.tokens.map((i,a)=>d`<button
          class="token"
          dir="auto"
          aria-pressed=${r.step===a}
          data-place=${a}
          data-share=${(t?.[a]??0).toFixed(3)}
          ${_({background:t?`rgba(${n}, ${s}, ${o}, ${(.6*(t[a]??0)).toFixed(3)})`:""})}
          @click=${()=>f({step:a})}
        >
          ${k(i.token)}
        </button>`)}
  </p>`}function wo(){let t=x().arch==="decoder",n=y(),s=()=>[["label","probability"],...(r.inspection?.predicted??[]).map(({label:o,prob:i})=>[o,i])];return d`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${kn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${t?"Text to continue":"Text to read"}
          placeholder=${t?"Write how it begins.":"Write or paste a text."}
          .value=${r.text}
          @input=${o=>f({text:o.target.value})}
          @keydown=${o=>{o.key==="Enter"&&(o.ctrlKey||o.metaKey)&&Nt()}}
        ></textarea>
        <div class="controls">
          <button class="primary" @click=${Nt} ?disabled=${!r.text.trim()&&!t}>
            ${t?"Continue":"Read"}
          </button>
          ${r.busy.translate?d`<button @click=${()=>oe("translate")}>Stop</button>`:m}
          ${t?d`<label
                    >Tokens
                    <select
                      id="length"
                      @change=${o=>f({length:Number(o.target.value)})}
                    >
                      ${[...new Set([...co,r.length])].sort((o,i)=>o-i).map(o=>d`<option value=${o} ?selected=${o===r.length}>${o}</option>`)}
                    </select></label
                  >
                  <label
                    >Temperature
                    <select
                      id="temperature"
                      @change=${o=>f({temperature:Number(o.target.value)})}
                    >
                      ${[...new Set([0,.5,.8,1,1.3,r.temperature])].sort((o,i)=>o-i).map(o=>d`<option value=${o} ?selected=${o===r.temperature}>${o}</option>`)}
                    </select></label
                  >`:m}
        </div>
      </div>
      <div>
        <div class="head">
          <h2>${t?"Continuation":"What the model says"}</h2>
          ${n?.isDone&&r.inspection?C(t?"continuation":"predicted",["#output","#doubts",".alternatives"],t?tt:s,()=>t?r.sentences:{predicted:r.inspection.predicted,tokens:n.tokens.map(o=>o.token),moved:r.moved?.shares}):m}
        </div>
        <div class=${X()||r.busy.translate?"stale":""} aria-busy=${!!r.busy.translate}>
          <div id="output" aria-live="polite">
            ${t?n?Ze(n,0):d`<p class="hint">
                      The text with its continuation appears here. The stronger a token is coloured, the less the model
                      expected it.
                    </p>`:d`${gr()} ${br()}`}
          </div>
          ${t&&n?d`${et()} ${yn(bn)}`:m}
        </div>
        ${t&&n?wn(bn):m}
      </div>
    </div>
  </section>`}var yo=84,ko=32,$r=8,xo=9,wr=e=>{let t=[...k(e)];return t.length>xo?`${t.slice(0,xo-1).join("")}…`:t.join("")};function yr(e){let t={id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isBest:!0},n=[];for(let[s,o]of e.trace.entries()){let i=new Set(o.filter(l=>l.fate==="dropped").slice(0,2));n=o.map((l,c)=>{let h=l.parent===null?t:n[l.parent];if(!h||l.fate==="dropped"&&!i.has(l))return;let u=l.fate==="finished",p={id:`${s}.${c}`,step:s+1,token:l.token,candidate:l,children:[],path:u?h.path:[...h.path,l.token],ids:u?h.ids:[...h.ids,l.id],isBest:!1};return h.children.push(p),p})}return t}function vn(e,t,n){let o=(e.candidate?.fate==="finished"||e.step===n)&&String(e.ids)===String(t),i=e.children.map(a=>vn(a,t,n)).some(Boolean);return e.isBest=i||o,e.isBest}var nt=null;function kr(e,t){if(nt?.traced===e&&nt.ids===String(t))return nt;let n=yr(e),s=[],o=vn(n,t,e.trace.length);o||vn(n,e.sentences[0]?.ids??[],e.trace.length);let i=0,a=(l,c,h)=>{let u={node:l,parent:c,x:$r+yo*h,y:ko*(i+1)};s.push(u),l.children.length||(i+=1);for(let p of[...l.children].sort((g,$)=>Number($.isBest)-Number(g.isBest)))a(p,u,h+1)};return a(n,null,0),nt={traced:e,ids:String(t),isFound:o,placed:s,width:Math.max(...s.map(l=>l.x))+yo,height:ko*(i+1)},nt}var xr=34,vr=30;function Tr({x:e,y:t,parent:n}){let s=n.x+(n.parent?xr:4),o=e-vr,i=o-6;return`M ${s} ${n.y} ${n.y===t?"":`C ${i} ${n.y}, ${i-6} ${t},`} ${n.y===t?"L":""} ${o} ${t}`}function Sr({placed:e},t,n){let s=e.filter(l=>l.x===t.x).sort((l,c)=>l.y-c.y),o=s.indexOf(t),i=e.filter(l=>l.parent===t).sort((l,c)=>l.y-c.y);return{ArrowLeft:()=>t.parent?.parent?t.parent:void 0,ArrowRight:()=>i[0],ArrowUp:()=>s[o-1],ArrowDown:()=>s[o+1]}[n]?.()}var Ar={active:"went on",finished:"ended",dropped:"was dropped"};function Er({node:e}){let t=ie(e.path),n=e.candidate,s={text:t,ids:e.ids},o=String(e.ids)===String(y()?.ids),i=async()=>{await je(s),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))};return d`<p id="candidate" role="status">
    <bdi class="strong">${t||"nothing"}</bdi> ${Ar[n.fate]} at step ${e.step}, with a score of
    <span class="strong number">${n.score.toFixed(3)}</span>.
    ${!t||o?m:d`<button
              id="open"
              @click=${()=>{N(),pe(s)}}
            >
              Open in the other panels
            </button>
            <button id="beside" @click=${()=>void i()}>Compare with the chosen one</button>`}
  </p>`}function vo(){let e=y(),t=r.traced;if(!r.inspection||!e||!S())return m;let n=t!==null&&t.of!==De(e),s=t?kr(t,e.ids):null,o=s?.placed.slice(1)??[],i=o.find(h=>h.node.id===r.node),a=i??o[0],l=(h,u)=>{let g=h.key==="Enter"||h.key===" "?u:Sr(s,u,h.key);g&&(h.preventDefault(),f({node:g.node.id}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${g.node.id}"]`)?.focus()))},c=()=>[["step","place","parent","token","log_prob","score","fate"],...t.trace.flatMap((h,u)=>h.map((p,g)=>[u+1,g,p.parent,p.token,p.log_prob,p.score,p.fate]))];return d`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">Search</h2>
      ${v("search")}
      <button id="search" @click=${()=>_e()}>${t?"Search again":"Show the search"}</button>
      ${t?C("search",["#tree"],c,()=>t):m}
    </div>
    ${s?d`<div class="scroll">
              <svg
                id="tree"
                width=${s.width}
                height=${s.height}
                role="group"
                aria-label="Tree of the search, ${o.length} candidates. Arrow keys go from one to another."
              >
                ${o.map(h=>Y`<path class="branch ${h.node.isBest?"best":""} ${h.node.candidate.fate}" d=${Tr(h)}></path>`)}
                ${o.map(h=>{let{node:u,x:p,y:g}=h;return Y`<g class="node ${u.isBest?"best":""} ${u.candidate.fate}" tabindex=${h===a?0:-1} data-node=${u.id}
        role="button" aria-pressed=${u.id===r.node} aria-label="${k(u.token)}, ${u.candidate.fate}, score ${u.candidate.score.toFixed(2)}"
        transform="translate(${p}, ${g})" @click=${()=>f({node:u.id})} @dblclick=${()=>{u.path.length&&(N(),pe({text:ie(u.path),ids:u.ids}))}} @keydown=${$=>l($,h)}>
        <text dy="-0.1em" text-anchor="middle">\u2068${wr(u.token)}\u2069</text><text class="score" dy="1.1em" text-anchor="middle">${u.candidate.score.toFixed(2)}</text><title>${ie(u.path)} (${u.candidate.score.toFixed(3)})</title></g>`})}
              </svg>
            </div>
            ${i?Er(i):m}
            ${n?d`<p class="hint">This is the search for another translation.</p>`:s.isFound?m:d`<p class="hint" id="unsearched">
                      ${"temperature"in e.how?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise."}
                    </p>`}
            ${e.prefix?d`<p class="hint" id="with-prefix">All begin with what you wrote: <bdi class="strong">${e.prefix}</bdi></p>`:m}
            <p class="hint">
              From left to right, a step for each token; below each token is its score.
              <span class="sign best">${s.isFound?"The chosen hypothesis":"The best hypothesis"}</span>, in the
              top row, <span class="sign dropped">dropped</span> (of each step, the best two),
              <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to
              compare it.
            </p>`:d`<p class="hint">
            Beam search keeps the ${r.beam} best beginnings at each step. This draws all that it tried.
          </p>`}
  </section>`}function To(){let e=x()?.snapshots??[];if(!e.length||!S()||!y()?.isDone)return m;let t=r.snapshot===null?e.length:e.indexOf(r.snapshot),n=s=>{s<e.length?nn(e[s]):W()};return d`<section class="panel snapshots ${E()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">While it was trained</h2>
      ${v("snapshot")}
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${e.length}
        step="1"
        .value=${String(t)}
        aria-label="Step of training"
        aria-valuetext=${r.snapshot===null?"the model itself":`step ${r.snapshot}`}
        @input=${s=>n(Number(s.target.value))}
      />
      <span
        >${r.snapshot===null?"the model itself":d`after <span class="strong number">${r.snapshot.toLocaleString("en")}</span> steps`}</span
      >
    </div>
    ${r.snapshot!==null&&r.inspection?.written!==void 0?d`<p>Written then: <bdi id="snapshot-written" class="strong">${r.inspection.written||"nothing"}</bdi></p>`:m}
    <p class="hint">The panels below show what the model looked at then, while the same translation was written.</p>
  </section>`}function So(){let e=r.inspection,t=y(),{note:n,says:s}=r.stored;return d`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${C("text",["#text",".stored .output[data-sentence]"],tt,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${s?d`<p dir="auto" id="says">${s}</p>`:m} ${Ze(t,0)}
    ${e.token_log_probs.length?et():m}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?d`<p class="hint" id="note">${n}</p>`:m}
  </section>`}function Eo(){let e=r.inspection?.heads??[],t=e.filter(o=>o.head.startsWith("cross.")),n=yt(),s=[...t.length?t:e].sort((o,i)=>i.confidence-o.confidence)[0];return n?.isOfModel?n.head:s?.head??"mean"}var _r=()=>ee([Eo()],[...r.undo,r.off]),Ao=async()=>{r.off.length&&await ee([],[...r.undo,r.off])},It=[{title:"Token by token",panel:".translate",shows:".alternatives",set:async()=>{f({step:0,head:"mean",isExplained:!1}),await Ao()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".alignment",shows:".frame",set:async()=>{f({source:null}),await Z(Eo())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to one token of the translation; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",shows:"#heads",set:()=>f({sortBy:"place"}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",shows:"#softmax",set:async()=>{f({isExplained:!0,words:!1}),await Or(()=>r.lookup!==null&&!wt("lookup"))},text:"The token that looks has a query, and each token that is looked at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1."},{title:"A weight is not a cause",panel:".alignment",shows:".frame",set:()=>f({isExplained:!1,head:"mean"}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",shows:".changes",set:_r,text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",shows:".alternatives",set:async()=>{f({step:Math.min(1,(y()?.tokens.length??1)-1)}),await Ao()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",shows:".search .scroll",set:()=>_e(),text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Mr=5e3;async function Or(e){let t=performance.now()+Mr;for(;!e()&&!r.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,20))}var Rr=["off","undo","head","step","source","key","sortBy","isExplained","words","alone","share","at","traced","node","sentences"],Sn=null;async function _o(){let e=x()?.examples?.[0];if(!r.text.trim()&&!e)return f({said:"Write a text first: this model has no examples."}),document.querySelector("#text")?.focus();(!y()?.isDone||!r.inspection||E()||r.textOf!==r.text)&&(r.text.trim()||(N(),f({text:e})),await U(),!y()?.isDone)||(Sn={...Object.fromEntries(Rr.map(t=>[t,r[t]])),textOf:r.textOf,scrolled:scrollY},await An(0))}async function Tn(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{scrolled:e,textOf:t,sentences:n,...s}=Sn,o=t===r.textOf,i=r.looked===(n[s.at]??null);Sn=null,f({stop:null,...o?{...s,sentences:n}:{off:s.off,undo:s.undo,sortBy:s.sortBy,isExplained:s.isExplained,words:s.words}}),document.querySelector("#tour")?.focus({preventScroll:!0}),o&&!i?await W():await z(),o&&s.head.startsWith(B)&&await Z(s.head),requestAnimationFrame(()=>requestAnimationFrame(()=>scrollTo({top:e})))}async function An(e){let t=It[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),f({stop:e}),await t.set(),requestAnimationFrame(()=>requestAnimationFrame(()=>{r.stop===e&&(document.querySelector(t.panel)?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),Cr(document.querySelector(`${t.panel} ${t.shows}`)??document.querySelector(t.shows)??document.querySelector(t.panel)))}))}var Hr=12;function Cr(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:s}=e.getBoundingClientRect(),o=innerHeight-t.offsetHeight,i=matchMedia("(prefers-reduced-motion: reduce)").matches;scrollTo({top:Math.max(0,scrollY+n-Math.max(Hr,(o-s)/2)),behavior:i?"auto":"smooth"})}function Mo(){let e=r.stop===null?void 0:It[r.stop];if(!e||!S())return m;let t=r.stop,n=t===It.length-1;return d`<div
    class="tour"
    role="dialog"
    aria-labelledby="tour-title"
    @keydown=${s=>{s.key==="Escape"&&Tn()}}
  >
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${t+1} of ${It.length}: ${e.title}</h2>
      <p>${e.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void Tn()}>End</button
      ><span
        >${t?d`<button id="tour-back" @click=${()=>void An(t-1)}>Back</button> `:m}<button
          id="tour-next"
          class="primary"
          @click=${()=>void(n?Tn():An(t+1))}
        >
          ${n?"Done":"Next"}
        </button></span
      >
    </div>
  </div>`}function Pr(){let{ablations:e}=r.inspection;if(!e.length)return m;let t=()=>[["heads","change","text"],...e.map(n=>[n.heads.join(" "),n.log_prob_change,n.text])];return d`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${v("nats")} ${C("without",["#ablations"],t,()=>e)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, nats per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody>
        ${e.map(n=>d`<tr>
              <td>${n.heads.join(", ")}</td>
              <td class="number">${n.log_prob_change.toFixed(4)}</td>
              <td dir="auto">${n.text}</td>
            </tr>`)}
      </tbody>
    </table>
  </section>`}var Oo=(e,t)=>`${e>0?"+":""}${e.toFixed(t)}`;function Ro(e,t,n){let s=Math.max(n?.5:.1,...t.map(Math.abs));return d`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map((o,i)=>d`<div
          class="change"
          role="listitem"
          aria-label="${k(e[i]??"")} ${o.toFixed(2)} ${n}"
        >
          <bdi>${k(e[i]??"")}</bdi>
          <span class="track two"
            ><span
              class=${o<0?"less":"more"}
              ${_({width:`${50*Math.abs(o)/s}%`,[o<0?"right":"left"]:"50%"})}
            ></span
          ></span>
          <span class="number">${Oo(o,2)}</span>
        </div>`)}
  </div>`}function Lr(e){let t=e.token_changes.reduce((i,a)=>i+a,0),n=S()?"translation":"text",s=r.ablated,o=s.edit!==null&&s.edit.forced===null;return d`<p>
      Written then: <bdi class="strong" id="written-then">${Re(e.text,r.ablated.text)}</bdi>
    </p>
    ${s.prefix?d`<p class="hint" id="same-prefix">It begins with what you wrote, as the one above does.</p>`:o?d`<p class="hint" id="same-prefix">You chose the one above; this is the best that was found.</p>`:m}
    <p>
      The log-probability of the ${n} above changes by
      <span class="strong number" id="sum">${Oo(t,3)}</span> nats${v("nats")},
      <span class="strong number" id="change">${e.log_prob_change.toFixed(3)}</span> per token, each token after the
      right ones:
    </p>
    ${Ro(ve(r.ablated),e.token_changes,"nats")}`}function Nr({predicted:e}){let t=r.inspection.predicted??[],n=t.map(i=>i.label),s=new Set(n).size===n.length&&n.every(i=>e?.some(a=>a.label===i));if(!e||!s)return d`<p>
      Said then:
      <bdi class="strong" id="written-then"
        >${Re((e??[]).map(i=>i.label).join(" "),n.join(" "))}</bdi
      >
    </p>`;let o=i=>e.find(a=>a.label===i).prob;return d`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${Ro(n,t.map(({label:i,prob:a})=>o(i)-a),"")}`}function Ho(){let e=r.looked,t=r.ablation,n=E()||t!==null&&r.ablated!==e;if(!r.inspection||!e)return m;if(r.stored)return Pr();if(!q())return m;let s=()=>{ee(r.undo.at(-1)??[],r.undo.slice(0,-1))},o=()=>t.predicted?.length?[["label","probability"],...t.predicted.map(({label:i,prob:a})=>[i,a])]:[["token","change"],...t.token_changes.map((i,a)=>[ve(r.ablated)[a]??"",i])];return d`<section class="panel without ${n?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without them</h2>
      ${r.off.length?d`<button id="all-on" @click=${()=>ee([],[...r.undo,r.off])}>Switch all on</button>`:m}
      ${r.undo.length?d`<button id="undo" @click=${s}>Undo</button>`:m}
      ${t?C("without",["#written-then",".without .changes"],o,()=>t):m}
    </div>
    ${r.off.length===0?d`<p class="hint">
            Switch a head off: this shows how much less likely each token becomes, and what the model
            ${Ie()?"writes":"says"} instead.
          </p>`:d`<p class="chips">
            ${r.off.length>24?`${r.off.length} heads are off.`:r.off.map(i=>d`<button class="chip" title="Switch on" aria-label="Switch ${i} on" @click=${()=>Ee([i])}>${i} ✕</button>`)}
          </p>`}
    ${t?d`${Ie()?Lr(t):Nr(t)}
            <p class="legend">
              <span><i class="less"></i> less likely without the heads</span>
              <span><i class="more"></i> more likely</span>
            </p>
            <p class="hint">
              A model was not trained without them, so this is what they are worth here, not what another model could
              do.
            </p>`:m}
  </section>`}var Lo="regard-theme";function Br(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,s=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=s;try{localStorage.setItem(Lo,s)}catch{}f({})}function Ir(){return d`<form class="key" @submit=${t=>{t.preventDefault(),Kn(document.querySelector("#key").value),En()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function Fr(){let e=()=>d`${To()}
      <div class="column">${Ys()} ${Zs()} ${$o()}</div>
      <div class="column">${to()} ${Ho()}</div>`;return r.stored?d`${So()}${e()}`:r.models.length?S()?d`${bo()}${e()}${vo()}`:d`${wo()}${r.inspection?e():m}`:m}function Wr(){let e=[["#text","Text"],["#output","Translation"],[".alignment","Alignment"],[".heads","Heads"],[".without","Without them"],[".search","Search"]],t=n=>{let s=document.querySelector(n);s&&n!=="#text"&&(s.tabIndex=-1),s?.focus(),s?.scrollIntoView({block:"start"})};return d`<nav class="skips" aria-label="Go to a part of the page">
    ${e.map(([n,s])=>d`<button @click=${()=>t(n)}>${s}</button>`)}
  </nav>`}function Dr(){let e=Object.values(r.busy).at(-1);return d`${Wr()}
    <header>
      <h1>Regard</h1>
      <p class="hint">
        ${r.stored?"What the heads look at":S()||!r.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}
      </p>
      <span class="said" role="status">${r.said}</span
      ><span class="status" role="status">${e?d`<span class="spinner"></span>${e} …`:m}</span>
      ${S()?d`<button id="tour" @click=${()=>void _o()}>Explain</button>`:m}
      ${r.stored?m:d`<a href="docs">API</a>`}<button
        class="theme"
        @click=${Br}
        aria-label="Light or dark"
      >
        ◐
      </button>
    </header>
    ${r.error?d`<p class="error" role="alert">${r.error} ${r.needsKey?m:d`<button @click=${()=>void Qt()}>Try again</button>`}</p>`:m}
    <main>${r.needsKey?Ir():m} ${Fr()}</main>
    ${Mo()}`}function st(){Ms();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(r.busy).length>0),Wn(Dr(),e)}async function En(){await ls(),document.body.dataset.ready="yes",r.text&&r.models.length&&(Ae(),await Xe())}async function jr(){if(!r.models.length||r.needsKey)return await En();(X()||!y()||r.sentences.some(t=>!t.isDone))&&!(r.translatedHtml&&!X())?r.text.trim()&&(Ae(),await Xe()):E()||!r.inspection?await W():r.off.length&&r.ablated!==r.looked?await z():f({})}function Kr(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e;new ResizeObserver(()=>{t.height=`${document.documentElement.offsetHeight+4}px`}).observe(document.documentElement)}function qr(e){try{return localStorage.getItem(e)}catch{return null}}var Co=qr(Lo),Po=ao();Co&&(document.documentElement.dataset.theme=Co);Gn(st);addEventListener("resize",st);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",st);Object.assign(globalThis,{regard:{state:r,matrixLayout:Js,differing:io}});Po?(Kr(),lo(Po,bt()).then(()=>{st(),document.body.dataset.ready="yes"})):(Object.assign(r,bt()),ts(jr),addEventListener("hashchange",()=>{let e=x();f({...bt(),...K()?.searched?{}:{traced:null,node:null}}),$n(e),Xe()}),st(),En());})();
