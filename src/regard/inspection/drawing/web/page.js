"use strict";(()=>{var Nn=globalThis,Nt=Nn.trustedTypes,Yo=Nt?Nt.createPolicy("lit-html",{createHTML:e=>e}):void 0,Wn="$lit$",ie=`lit$${Math.random().toFixed(9).slice(2)}$`,Dn="?"+ie,ma=`<${Dn}>`,Re=document,$t=()=>Re.createComment(""),xt=e=>e===null||typeof e!="object"&&typeof e!="function",Fn=Array.isArray,os=e=>Fn(e)||typeof e?.[Symbol.iterator]=="function",In=`[ 	
\f\r]`,wt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Zo=/-->/g,Qo=/>/g,Te=RegExp(`>|${In}(?:([^\\s"'>=/]+)(${In}*=${In}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),es=/'/g,ts=/"/g,ss=/^(?:script|style|textarea|title)$/i,Bn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),u=Bn(1),W=Bn(2),ed=Bn(3),kt=Symbol.for("lit-noChange"),h=Symbol.for("lit-nothing"),ns=new WeakMap,Se=Re.createTreeWalker(Re,129);function rs(e,t){if(!Fn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return Yo!==void 0?Yo.createHTML(t):t}var is=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=wt;for(let a=0;a<n;a++){let c=e[a],p,d,m=-1,f=0;for(;f<c.length&&(i.lastIndex=f,d=i.exec(c),d!==null);)f=i.lastIndex,i===wt?d[1]==="!--"?i=Zo:d[1]!==void 0?i=Qo:d[2]!==void 0?(ss.test(d[2])&&(s=RegExp("</"+d[2],"g")),i=Te):d[3]!==void 0&&(i=Te):i===Te?d[0]===">"?(i=s??wt,m=-1):d[1]===void 0?m=-2:(m=i.lastIndex-d[2].length,p=d[1],i=d[3]===void 0?Te:d[3]==='"'?ts:es):i===ts||i===es?i=Te:i===Zo||i===Qo?i=wt:(i=Te,s=void 0);let b=i===Te&&e[a+1].startsWith("/>")?" ":"";r+=i===wt?c+ma:m>=0?(o.push(p),c.slice(0,m)+Wn+c.slice(m)+ie+b):c+ie+(m===-2?a:b)}return[rs(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},vt=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,a=t.length-1,c=this.parts,[p,d]=is(t,n);if(this.el=e.createElement(p,o),Se.currentNode=this.el.content,n===2||n===3){let m=this.el.content.firstChild;m.replaceWith(...m.childNodes)}for(;(s=Se.nextNode())!==null&&c.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let m of s.getAttributeNames())if(m.endsWith(Wn)){let f=d[i++],b=s.getAttribute(m).split(ie),y=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:y[2],strings:b,ctor:y[1]==="."?Dt:y[1]==="?"?Ft:y[1]==="@"?Bt:Pe}),s.removeAttribute(m)}else m.startsWith(ie)&&(c.push({type:6,index:r}),s.removeAttribute(m));if(ss.test(s.tagName)){let m=s.textContent.split(ie),f=m.length-1;if(f>0){s.textContent=Nt?Nt.emptyScript:"";for(let b=0;b<f;b++)s.append(m[b],$t()),Se.nextNode(),c.push({type:2,index:++r});s.append(m[f],$t())}}}else if(s.nodeType===8)if(s.data===Dn)c.push({type:2,index:r});else{let m=-1;for(;(m=s.data.indexOf(ie,m+1))!==-1;)c.push({type:7,index:r}),m+=ie.length-1}r++}}static createElement(t,n){let o=Re.createElement("template");return o.innerHTML=t,o}};function Ae(e,t,n=e,o){if(t===kt)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=xt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=Ae(e,s._$AS(e,t.values),s,o)),t}var Wt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??Re).importNode(n,!0);Se.currentNode=s;let r=Se.nextNode(),i=0,a=0,c=o[0];for(;c!==void 0;){if(i===c.index){let p;c.type===2?p=new De(r,r.nextSibling,this,t):c.type===1?p=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(p=new qt(r,this,t)),this._$AV.push(p),c=o[++a]}i!==c?.index&&(r=Se.nextNode(),i++)}return Se.currentNode=Re,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},De=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=h,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=Ae(this,t,n),xt(t)?t===h||t==null||t===""?(this._$AH!==h&&this._$AR(),this._$AH=h):t!==this._$AH&&t!==kt&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):os(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==h&&xt(this._$AH)?this._$AA.nextSibling.data=t:this.T(Re.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=vt.createElement(rs(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new Wt(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=ns.get(t.strings);return n===void 0&&ns.set(t.strings,n=new vt(t)),n}k(t){Fn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O($t()),this.O($t()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},Pe=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=h,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=h}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=Ae(this,t,n,0),i=!xt(t)||t!==this._$AH&&t!==kt,i&&(this._$AH=t);else{let a=t,c,p;for(t=r[0],c=0;c<r.length-1;c++)p=Ae(this,a[o+c],n,c),p===kt&&(p=this._$AH[c]),i||=!xt(p)||p!==this._$AH[c],p===h?t=h:t!==h&&(t+=(p??"")+r[c+1]),this._$AH[c]=p}i&&!s&&this.j(t)}j(t){t===h?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},Dt=class extends Pe{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===h?void 0:t}},Ft=class extends Pe{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==h)}},Bt=class extends Pe{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=Ae(this,t,n,0)??h)===kt)return;let o=this._$AH,s=t===h&&o!==h||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==h&&(o===h||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},qt=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){Ae(this,t)}},as={M:Wn,P:ie,A:Dn,C:1,L:is,R:Wt,D:os,V:Ae,I:De,H:Pe,N:Ft,U:Bt,B:Dt,F:qt},fa=Nn.litHtmlPolyfillSupport;fa?.(vt,De),(Nn.litHtmlVersions??=[]).push("3.3.1");var ls=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new De(t.insertBefore($t(),r),r,void 0,n??{})}return s._$AI(e),s};var Tt={temperature:1,isScaled:!0,isMasked:!0},jt=({temperature:e,isScaled:t,isMasked:n})=>e===1&&t&&n;function qn({scores:e,bias:t,allowed:n,factor:o},{temperature:s,isScaled:r,isMasked:i}){let a=e.map((y,w)=>(r?y:y/o)+t[w]),c=a.map((y,w)=>w).filter(y=>n[y]||!i);c.sort((y,w)=>a[w]-a[y]);let p=a[c[0]]??0,d=a.map(()=>0);for(let y of c)d[y]=Math.exp((a[y]-p)/s);let m=d.reduce((y,w)=>y+w,0),f=d.map(y=>y/m),b=f.reduce((y,w)=>y-(w?w*Math.log(w):0),0);return{keys:c,scores:a,exponentials:d,highest:p,total:m,weights:f,entropy:b}}var cs={result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,next:null,experiment:null,patching:null,snapshot:null},Vn=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},trial:{softmax:Tt,sampling:{isOpen:!1,temperature:1,topK:0,topP:1},otherText:null,patched:null},inspection:{...cs},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),l=Vn(),Un={output:{compared:null,attribution:null},inspection:cs,heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},Vt=[{output:{sentences:[],sourceText:"",html:""}},Un],us=[],jn=!1;function Gn(e){us.push(e)}function Ee(e){for(let[t,n]of Object.entries(e))Object.assign(l[t],n)}function g(...e){e.forEach(Ee),!jn&&(jn=!0,requestAnimationFrame(()=>{jn=!1;for(let t of us)t()}))}var H="flow.",q="mean.",me=["rollout","gradient","integrated-gradients"],Fe=e=>e.direction??e.name??"",v=()=>l.server.models.find(e=>Fe(e)===l.request.modelName),x=()=>l.output.sentences[l.view.sentenceIndex],S=()=>!l.server.storedPage&&v()?.direction!==void 0,Y=()=>S()||!l.server.storedPage&&v()?.arch==="decoder";function Z(){let e=v();return!l.server.storedPage&&l.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var j=()=>l.output.sourceText!==""&&l.output.sourceText!==l.request.text,D=()=>l.inspection.result!==null&&l.inspection.sentence!==(x()??null),I=()=>D()||j();function Me(e=l.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!S())return t.slice(1);let n=l.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var Kn=e=>e!=="encoder"||l.inspection.result?.target===null;var E=e=>e.split(".").slice(0,2).join("."),Xn=()=>l.inspection.result?[...l.inspection.result.weights.keys()]:[],ps=(e,t)=>e[(t+e.length)%e.length];function Be(e){let t=Xn(),n=ps(t,t.indexOf(l.view.head)+e);n&&g({view:{head:n}})}function qe(e){let t=[...new Set(Xn().map(E))],n=ps(t,t.indexOf(E(l.view.head))+e),o=Xn().find(s=>E(s)===n);o&&g({view:{head:o}})}function Ut(){let e=l.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${q}${e}`,isOfModel:t}}function ae(){let e=Ut();if(e?.isOfModel)return e.head;let t=l.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,a)=>a.confidence-i.confidence);return r?.head??"mean"}var ga={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function Gt(e){let[t,n]=e.split(".");return`${l.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var zn=e=>`${Gt(E(e))}, head ${e.split(".")[2]} (${e})`;function Kt(e){let n=e.startsWith("decoder.")&&l.inspection.result?.target!=null?"what is written":"the text",o=ga[l.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${zn(e)}: reads ${n}${o?`, ${o}`:""}`}var je=5;function U(){let e=v();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Ve=()=>l.request.temperature?{method:"sample",temperature:l.request.temperature,seed:l.request.seed}:{beam_size:l.request.beamSize},Ue=e=>S()?{...U(),text:e.source,target_ids:e.ids}:{model:v().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},Xt=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var G=class extends Error{constructor(n,o){super(o);this.status=n}},zt=0,ba=410,ds="regard-key",ya=255;async function hs(){try{return(await fetch("health")).ok}catch{return!1}}var ms=e=>sessionStorage.setItem(ds,e);function wa(e){let t=sessionStorage.getItem(ds);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function Jn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:wa(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new G(zt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new G(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function C(e,t,n){return await(await Jn(e,t,n)).json()}async function*fs(e,t){let o=(await Jn("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new G(zt,"The server went away while it was answering. Is it still running?")});if(i)return;let a=(s+r).split(`

`);s=a.pop()??"";for(let c of a){let[p,d]=c.split(`
`);yield{name:p.slice(7),data:JSON.parse(d.slice(6))}}}}async function Ge(e,t,n){try{return await C(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof G)||o.status!==ba)throw o;return e.id=(await C("inspect",e.request,n)).id,await C(`inspect/${e.id}/${t}`,void 0,n)}}async function $a(e,t,n){let o=await Jn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,a]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((d,m)=>{let f=r.subarray(m*i*a,(m+1)*i*a);return[d,{rows:i,keys:a,values:f,scale:c,forbidden:ya}]})}async function Ke(e,t){let n=v()?.arch!=="rnn",o=await C("inspect",{...e,lens:n},t),s=Object.keys(o.tokens),r=await Promise.all(s.map(i=>$a(o.id,i,t)));return{...o,request:e,weights:new Map(r.flat())}}var xa=403,ka=2e3,va=4e3,_e=new Map;async function P(e,t,n){_e.get(e)?.abort();let o=new AbortController;_e.set(e,o),e==="translate"&&Sa(),t&&g({status:{busy:{...l.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||Ta(s),!1}finally{_e.get(e)===o&&gs(e)}}function Jt(e,t){g({status:{busy:{...l.status.busy,[e]:t}}})}function Ta(e){let t=e instanceof G?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===xa}}),t===zt&&ws()}function Sa(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function Ra(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function gs(e){_e.delete(e),e==="translate"&&Xe(()=>{_e.has(e)||Ra()}),g({status:{busy:Object.fromEntries(Object.entries(l.status.busy).filter(([t])=>t!==e))}})}function Xe(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var Yn=0,bs=()=>Promise.resolve();function ys(e){bs=e}function ws(){clearTimeout(Yn),Yn=window.setTimeout(()=>{hs().then(e=>{e?Zn():l.status.error&&ws()})},ka)}async function Zn(){clearTimeout(Yn),g({status:{error:"",needsApiKey:!1}}),await bs()}function $s(e){g({status:{notice:e}}),setTimeout(()=>{l.status.notice===e&&g({status:{notice:""}})},va)}var St=e=>_e.has(e);function Oe(e){_e.get(e)?.abort(),gs(e)}var Aa=50;async function ze(e){let{disabled:t}=l.heads,n=e.every(o=>t.includes(o));await le(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function le(e){let{undoStack:t,disabled:n}=l.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-Aa)}}),await Q()}async function xs(){let{undoStack:e}=l.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await Q()}async function Q(){let{sentence:e}=l.inspection;if(!l.heads.disabled.length)return Oe("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!Z()||D()||await P("ablate","Running without heads",async t=>{let n=S()?Xt(e):{prompt:e.source,...e.decoding},o={...Ue(e),heads:l.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await C("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function Je(){let{result:e,sentence:t}=l.inspection;if(!t?.isDone||!e||D())return;let n=[...e.weights.keys()],o=[...new Set(n.map(E))];await P("rank","Taking each head away",async s=>{let r={},i={};for(let[a,c]of o.entries()){let p=n.filter(m=>E(m)===c),d=await C("ablate",{...Ue(t),sweep:!0,heads:p},s);if(l.inspection.result!==e)return;r={...r,...d.worth},i={...i,...d.by_token},g({heads:{importance:r,importanceByToken:i}}),Jt("rank",`Taking each head away: ${a+1} of ${o.length} layers`)}g({heads:{sortBy:"worth"}})}),l.status.error&&l.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var Qt=null,ee=()=>Qt;function Ze(){Qt=null}var Pa=()=>({edits:l.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:l.inspection.snapshot,compared:l.output.compared,tracesSearch:l.search.trace!==null&&l.search.trace.source===x()?.source,ranksHeads:l.heads.importance!==null}),Ea=16,Ma=1e3,_a=5,Oa=1e9,Yt=e=>e==="true",Ye=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},Zt=Ye(0,Oa),ks=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),Ca=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Ha=e=>me.some(t=>e===`${H}${t}`),La=e=>ks(e)||Ca(e)||Ha(e)?e:void 0,Ia=e=>e.split(",").filter(ks),N=(e,t,n)=>({group:e,field:t,parse:n}),to={direction:N("request","modelName",String),text:N("request","text",String),beam:N("request","beamSize",Ye(1,Ea)),temperature:N("request","temperature",Ye(0,_a,!1)),seed:N("request","seed",Ye(0,Number.MAX_SAFE_INTEGER)),length:N("request","maxTokens",Ye(1,Ma)),at:N("view","sentenceIndex",Zt),step:N("view","outputPosition",Zt),source:N("view","inputPosition",Zt),key:N("view","keyPosition",Zt),head:N("view","head",La),share:N("view","rowShare",Ye(.1,1,!1)),words:N("view","groupsWords",Yt),alone:N("view","hidesOtherRows",Yt),isExplained:N("view","showsComputation",Yt),isHtml:N("request","isHtml",Yt),sortBy:N("heads","sortBy",String),off:N("heads","disabled",Ia)},Na=["direction","text","beam","temperature","seed","length","at","off","isHtml"],no=(e,{group:t,field:n})=>e[t][n]??null,vs=Vn(),Qn=!1;function F(){Qn=!0}function Wa(e){let t=!l.request.translatesWhileTyping&&!l.status.busy.translate&&!l.status.error;return e==="text"&&j()&&t?l.output.sourceText:no(l,to[e])}var Da=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function Fa(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=Qt??Pa();return[["edits",e.length?JSON.stringify(e.map(Da)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Ba=e=>e==="text"||e==="direction"||e==="head"&&l.view.head===ae();function Ts(){let{storedPage:e}=l.server,t=new URLSearchParams;for(let[s,r]of Object.entries(to)){let i=Wa(s);e&&Na.includes(s)||i===null||i===no(vs,r)||String(i)===""||t.set(s,String(i))}if(!e){for(let[r,i]of Fa())t.set(r,i);let s=[...l.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=s?`${s} · Regard`:"Regard"}let o=`#${l.output.isExample&&[...t.keys()].every(Ba)?"":t}`;o===(location.hash||"#")||location.protocol==="about:"||(Qn?history.pushState(null,"",o):history.replaceState(null,"",o),Qn=!1)}var eo=e=>Number.isSafeInteger(e)&&e>=0,Ss=e=>Array.isArray(e)?e.filter(eo):[];function Rs(e){try{return JSON.parse(e??"null")}catch{return null}}function qa(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!eo(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:Ss(r)}}]:eo(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function ja(e){let t=Rs(e);return Array.isArray(t)?t.flatMap(qa):[]}function Va(e){let t=Rs(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:Ss(t[1])}:e?{text:e,ids:[]}:null}function oo(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(to)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??no(vs,s))}let n=Number(e.get("snapshot")??NaN);return Qt={edits:ja(e.get("edits")),snapshot:n>=0?n:null,compared:Va(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var en=()=>Ee(oo());var so=new Map,As=()=>so.clear();function K(e){let t=so.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return so.set(e,o),o}var oe=(e,t)=>`rgba(${K(e).join(", ")}, ${t.toFixed(3)})`,X=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var Ua=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,Ga=new RegExp(String.raw`\s+|${Ua.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),Ka=4e6,Ce=e=>[...e.matchAll(Ga)].map(({0:t,index:n})=>({text:t,begin:n}));function tn(e,t){let n=d=>d.map(m=>m.text).filter(m=>m.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,a=0;for(;i<r&&o[i]===s[i];)i++;for(;a<r-i&&o.at(-1-a)===s.at(-1-a);)a++;let c=Xa(o.slice(i,o.length-a),s.slice(i,s.length-a)),p=(d,m,f)=>{let b=new Set(c.map(w=>w[m]+i)),y=-1;return d.map(w=>w.text.trim()!==""&&++y>=i&&y<f-a&&!b.has(y))};return[p(e,0,o.length),p(t,1,s.length)]}function Xa(e,t){let n=[],o=t.length+1;if(e.length*t.length>Ka)return n;let s=new Uint32Array((e.length+1)*o),r=(i,a)=>s[i*o+a];for(let i=e.length-1;i>=0;i--)for(let a=t.length-1;a>=0;a--){let c=e[i]===t[a];s[i*o+a]=c?r(i+1,a+1)+1:Math.max(r(i+1,a),r(i,a+1))}for(let i=0,a=0;i<e.length&&a<t.length;)e[i]===t[a]?n.push([i++,a++]):r(i+1,a)>=r(i,a+1)?i++:a++;return n}function Ps(e,t){let n=[Ce(e),Ce(t)],o=tn(...n),s=r=>n[r].filter((i,a)=>o[r][a]).map(i=>i.text);return[s(0),s(1)]}var Qe=e=>JSON.stringify([l.request.modelName,e.source,l.request.beamSize,e.prefix]);async function fe(){let e=x();e?.isDone&&await P("search","Searching",async t=>{let n=Qe(e),o={...U(),text:e.source,beam_size:l.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await C("translate",o,t),r=x();r&&Qe(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function za(e,{weights:t}){return e==="mean"||t.has(e)||me.some(n=>e===`${H}${n}`)?!0:[...t.keys()].some(n=>e===`${q}${E(n)}`)}function Rt(e,t,n=null){let{head:o,outputPosition:s}=l.view,r=l.heads.disabled.filter(i=>e.weights.has(i));Ee({inspection:{result:e},trial:{otherText:null,patched:null}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:za(o,e)?o:ae(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),l.view.head.startsWith(H)&&te(l.view.head)}async function B(){let e=x();if(!e?.isDone||!e.text||!S()||(await P("inspect","Looking inside",async n=>{Rt(await Ke(Ue(e),n),e)}),D()))return;l.heads.disabled.length&&await Q();let{trace:t}=l.search;t?.source===e.source&&t.requestKey!==Qe(e)&&await fe()}async function nn(e){let t=x();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await P("inspect","Loading a snapshot",async n=>{let o={...Ue(t),snapshot:e,...Xt(t)};Rt(await Ke(o,n),t,e)}))}async function te(e){let t=l.inspection.result;if(!e.startsWith(H)||!t)return g({view:{head:e},inspection:{flow:null}});await P("flow","Following the layers",async n=>{let o=await Ge(t,`flow/${e.slice(H.length)}`,n);l.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var Es="";function Os(e){let{result:t,lookup:n}=l.inspection,{head:o,showsComputation:s}=l.view;if(!t?.weights.has(o)||!s||D())return;let r=io(e),i=Es===r&&(St("lookup")||l.status.error!=="");n?.cell===r||i||(Es=r,P("lookup","",async a=>{let c=await Ge(t,`lookup/${o}/${e.row}/${e.key}`,a);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var et=()=>v()?.no_parts??"",Ms={writes:"",stream:"",next:""};function ro(e,t,n,o){let{result:s}=l.inspection;if(!s||D())return;let r=Ms[e]===t&&(St(e)||l.status.error!=="");l.inspection[e]?.cell===t||r||(Ms[e]=t,P(e,"",async i=>{o(await Ge(s,n,i))}))}function Cs(e){let{head:t}=l.view;if(!l.inspection.result?.weights.has(t)||et())return;let n=ge(e.row,t);ro("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function Hs(e){let t=ge(e);et()||ro("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}function Ls(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,s=`temperature=${t}&top_k=${n}&top_p=${o}`,r=ge(e,s);return ro("next",r,`next/${e}?${s}`,i=>{g({inspection:{next:{result:i,cell:r}}})}),r}async function Is(e,t){let{result:n}=l.inspection;!n||D()||await P("experiment","Trying",async o=>{let s=`experiment/${e}?seed=${t}`,r=await Ge(n,s,o);g({inspection:{experiment:{result:r,inspection:n}}})})}async function Ns(e){let{result:t}=l.inspection;!t||D()||await P("patching","Patching",async n=>{let o=await Ge(t,`patch?other=${encodeURIComponent(e)}`,n);g({inspection:{patching:{result:o,other:e,inspection:t}},trial:{patched:Ja(o)}})})}function Ja({effects:e}){let[t,n]=Object.entries(e)[0],o=n.flatMap((r,i)=>r.map((a,c)=>({stack:t,layer:i,position:c,effect:a}))),[s]=o.sort((r,i)=>Number(i.effect.toFixed(2))-Number(r.effect.toFixed(2))||r.layer-i.layer);return s??null}var Ya=0,_s=new WeakMap;function ge(e,t=""){let n=l.inspection.result,o=_s.get(n)??++Ya;return _s.set(n,o),`${o}/${t}/${e}`}var io=({row:e,key:t})=>`${ge(e,l.view.head)}/${t}`;async function Ws(){await P("models","",async e=>{let{models:t}=await C("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>Fe(s)===l.request.modelName);g({server:{models:t},request:{modelName:o?l.request.modelName:Fe(n)},status:{error:"",needsApiKey:!1}})})}async function tt(){await P("count","",async e=>{if(!l.request.text.trim()||!S())return g({tokenCounts:{total:null}});let t={...U(),text:l.request.text},n=await C("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var nt=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function ao(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var z=e=>e.join("").replaceAll("▁"," ").trimStart(),on=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),ot=e=>/^<[^<>]+>$/.test(e);function He(e,t,n="inserted"){let o=Ce(e),[s]=tn(o,Ce(t)),r=i=>n==="deleted"?u`<del>${i}</del>`:u`<mark>${i}</mark>`;return u`${o.map((i,a)=>s[a]?r(i.text):i.text)}`}var Ds=e=>ot(e)?`
`:e.replaceAll("▁"," ");function lo({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>Ds(i.token)),o=Ce(n.join("")),[s]=tn(o,Ce(t.tokens.map(i=>Ds(i.token)).join(""))),r=0;return n.map(i=>{let a=r;r+=i.length;let c=p=>p.begin<r&&p.begin+p.text.length>a;return o.some((p,d)=>s[d]&&c(p))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",Za=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,be=e=>Za.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",Qa=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,el=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function Fs(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>Qa.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!el.some(r=>r.test(n))&&o!=="ء"}function st(e,t){let n=Fs(e[t-1],e[t])?["joins-before"]:[],o=Fs(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var se=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function ye(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var rt=(e,t)=>Array.from({length:e.keys},(n,o)=>ye(e,t,o));function sn(e,t){let n=e.map((i,a)=>a).sort((i,a)=>e[a]-e[i]),o=new Set,s=e.reduce((i,a)=>i+a,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var co=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function Bs(e){let t=co(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function qs(e){let[t]=e,n=co(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function js(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function Vs(e,t,n){let o=co(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,a)=>{let c=s.every(m=>i.every(f=>se(e,m,f))),p=m=>i.reduce((f,b)=>f+ye(e,m,b),0),d=s.reduce((m,f)=>m+p(f),0);o.values[r*n.length+a]=c?o.forbidden:d/s.length})}),o}var Js=new WeakMap,Ys=e=>Js.get(e);function Zs(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),Js.set(t,e),t}var Us=new WeakMap;function Qs(e,t){let n=Us.get(e)??new Map,o=[t,...K("paper"),...K("heat")].join(" "),s=n.get(o)??tl(e,t);return Us.set(e,n.set(o,s)),s}function po(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function tl(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let p=0;p<e.rows;p++)for(let d=0;d<e.keys;d++){if(se(e,p,d))continue;let m=Math.floor(p*n/e.rows)*o+Math.floor(d*o/e.keys);s[m]=Math.max(s[m],ye(e,p,d))}let r=new ImageData(o,n),[i,a,c]=[K("paper"),K("heat"),K("forbidden")];return s.forEach((p,d)=>{p<0?po(r,d,c,c,1):po(r,d,i,a,p)}),Zs(r)}var nl={path:"",stroke:"none",thickness:0},ho=new WeakMap,er=e=>ho.get(e);function tr(e,t){ho.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[],hatching:nl}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function nr(e,t,n){tr(e,Qs(t,n))}function or(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((a,c)=>{let p=K(a<0?"less":"more");po(o,i*n+c,K("paper"),p,Math.abs(a)/s)})}),tr(e,Zs(o))}var ol=14,sl=120,Gs=10,Ks=44,rl=60,il=800,al=640,ll=1.2,uo=6,rn="13px system-ui, sans-serif";function Xs(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function zs(e,t,n){let o=Math.max(Math.ceil(ol/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function cl(e,t,n){let{weights:o,rows:s,keys:r,chosen:i,isMirrored:a}=t;e.font=rn;let c=Math.min(sl,n*.25),p=Xs(e,s,c),d=Xs(e,r,c),m=L=>Math.max(...L.map(he=>e.measureText(he).width)),f=m(p)+Gs,b=m(d)+Gs,y=n>il?rl:Ks,w=Math.max(al*y/Ks/s.length,2*uo),T=Math.max(ll,Math.min(y,(n-f-2)/r.length,w)),R=T>=uo?Math.floor(T):T,_=R*r.length,ke=R*s.length,bt=L=>f+R*(a?r.length-1-L:L),Ln={rows:zs(s.length,R,i.row),keys:zs(r.length,R,i.key)},zo=L=>X(L?"accent":"ink"),la=[...Ln.rows.map(L=>({text:p[L],x:f-6,y:b+R*(L+.5),isVertical:!1,fill:zo(L===i.row)})),...Ln.keys.map(L=>({text:d[L],x:bt(L)+.5*R,y:b-6,isVertical:!0,fill:zo(L===i.key)}))],Jo={stroke:X("accent"),thickness:1.5},ca=[{x:f-.5,y:b-.5,width:_+1,height:ke+1,stroke:X("line"),thickness:1},{x:f,y:b+R*i.row,width:_,height:R,...Jo},{x:bt(i.key),y:b,width:R,height:ke,...Jo}],ua=Qs(o,1/0),pa=(L,he)=>R>=uo&&se(o,L,he),da=(L,he)=>{let[yt,ve,It]=[bt(he),b+R*L,R/2];return`M ${yt} ${ve+It} L ${yt+It} ${ve} M ${yt+It} ${ve+R} L ${yt+R} ${ve+It}`},ha={path:s.flatMap((L,he)=>r.map((yt,ve)=>pa(he,ve)?da(he,ve):"")).join(""),stroke:X("hatching"),thickness:1};return{plan:{image:ua,left:f,top:b,width:_,height:ke,isMirrored:a,labels:la,frames:ca,hatching:ha},layout:{left:f,top:b,size:R,...Ln}}}function sr(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=cl(o,t,n),{image:i,left:a,top:c,width:p,height:d,isMirrored:m,labels:f,frames:b,hatching:y}=s;ho.set(e,s);let w=window.devicePixelRatio||1;e.width=Math.round((a+p+2)*w),e.height=Math.round((c+d+2)*w),e.style.width=`${a+p+2}px`,e.style.height=`${c+d+2}px`,o.scale(w,w),o.imageSmoothingEnabled=!1,o.save(),m&&o.transform(-1,0,0,1,2*a+p,0),o.drawImage(i,a,c,p,d),o.restore(),o.strokeStyle=y.stroke,o.lineWidth=y.thickness,o.stroke(new Path2D(y.path));for(let T of f)mo(o,T);for(let T of b)o.strokeStyle=T.stroke,o.lineWidth=T.thickness,o.strokeRect(T.x,T.y,T.width,T.height);return r}function mo(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=rn,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var At=12,ul="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",pl=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*dl(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:a}of e.data.matchAll(/\S+/gu)){o.setStart(e,a),o.setEnd(e,a+i.length);let{x:c,y:p,width:d,height:m}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;d&&(yield{kind:"text",x:c,y:p,width:d,height:m,text:i,fill:n,font:f,direction:t.direction})}}function*hl(e,{x:t,y:n,width:o,height:s},r){let i=er(e);if(!i||!o)return;let{image:a,isMirrored:c}=i,p=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:a,isMirrored:c,opacity:r,...p},i.hatching.path&&(yield{kind:"line",...{...p,...i.hatching,fill:"none",opacity:r,dashes:""},origin:[t,n],scale:[1,1]});for(let d of i.frames)yield{kind:"frame",radius:0,...d,x:t+d.x,y:n+d.y};for(let d of i.labels)yield{kind:"label",...d,x:t+d.x,y:n+d.y,width:0,height:0}}function*ml(e,t,n){let{x:o,y:s,width:r,height:i}=n,a=parseFloat(t.borderRadius)||0,c=(d,m=2)=>({kind:"frame",stroke:d,thickness:m,radius:a,...n}),p=(d,m,f=2)=>({kind:"line",...n,path:d,origin:[o,s],scale:[1,1],fill:"none",stroke:m,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield p(`M 0 0 L ${r} ${i}`,X("less"))),e.matches("del")&&(yield p(`M 0 ${i/2} L ${r} ${i/2}`,X("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(X("accent"))),e.matches(".token.prefix-end")&&(yield c(X("more"))),e.matches(".token.new, u.new")&&(yield p(`M 2 ${i-1} L ${r-2} ${i-1}`,X("more")))}function fl(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:a,e:c,f:p}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,p],scale:[i,a],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*rr(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(ul)||i.visibility==="hidden")return;let a=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*hl(e,r,c);else if(e instanceof SVGPathElement)yield fl(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!a&&o&&!pl(i.backgroundColor)){let p=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:p}}for(let p of e.childNodes)p instanceof Text?yield*dl(p,i,a?i.fill:i.color):p instanceof Element&&p.tagName!=="title"&&(yield*rr(p));a||(yield*ml(e,i,r))}function an(e){let{classList:t}=document.documentElement;t.add("saving");try{return gl(e)}finally{t.remove("saving")}}function gl(e){let t=[],n=At,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,a=r.y-s.scrollTop,c=n;for(let p of rr(s)){let d=p.x-i+At,m=p.y-a+n;t.push(p.kind==="line"?{...p,x:d,y:m,origin:[p.origin[0]-i+At,p.origin[1]-a+n]}:{...p,x:d,y:m}),o=Math.max(o,d+p.width),c=Math.max(c,m+p.height)}n=c+At}return{shapes:t,width:Math.ceil(o+At),height:Math.ceil(n),paper:X("paper")}}var ln=2;function bl(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")mo(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function ir(e){let{shapes:t,width:n,height:o,paper:s}=an(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=ln*n,r.height=ln*o,i.scale(ln,ln),i.fillStyle=s,i.fillRect(0,0,n,o);for(let a of t)bl(i,a);return r}var yl=3e5,fo=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function re(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):fo(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function wl({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Ys(e),a=new Map,c=o.width/r,p=o.height/i,d=(f,b)=>{let y=f*r+(t?r-1-b:b);return[0,1,2].map(w=>s[4*y+w].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,y;b<r;b=y){let w=d(f,b);for(y=b+1;y<r&&d(f,y)===w;)y++;let T={x:o.x+b*c,y:o.y+f*p,width:(y-b)*c,height:p},R=a.get(w)??[];a.set(w,R),R.push(re("rect",T))}let m=[...a].map(([f,b])=>re("g",{fill:`#${f}`},b.join("")));return re("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},m.join(""))}function $l({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let a=document.createElement("canvas");return a.width=e.width,a.height=e.height,a.getContext("2d").drawImage(e,0,0),re("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:a.toDataURL()})}function xl(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return re("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:a,radius:c}=e;return re("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(a)})}case"cells":return e.image.width*e.image.height>yl?$l(e):wl(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${rn}`};return re("text",i,`⁨${fo(e.text)}⁩`)}case"line":return re("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return re("text",i,fo(e.text))}}}function ar(e){let{shapes:t,width:n,height:o,paper:s}=an(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(xl)].join(`
`),a={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${re("svg",{xmlns:"http://www.w3.org/2000/svg",...a},`${i}
`)}
`}function lr(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Le=(e,t,n="text/plain")=>lr(e,new Blob([t],{type:n}));function kl(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function cr(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",cr);addEventListener("pointerdown",cr);function M(e,t,n,o){let s={PNG:()=>ir(t).toBlob(i=>{i&&lr(`${e}.png`,i)}),SVG:()=>Le(`${e}.svg`,ar(t),"image/svg+xml"),CSV:()=>Le(`${e}.csv`,kl(n()),"text/csv"),JSON:()=>Le(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return u`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,a])=>u`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{a(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var ur={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Pt=e=>(...t)=>({_$litDirective$:e,values:t}),it=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var go=class extends it{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},A=Pt(go);var vl={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],temperature:["Temperature","Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the factor one key would take nearly all of the weight."],"beam-search":["Beam search","Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best sums of log-probabilities are kept."],"log-probability":["Log-probability","The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],patching:["Patching","What would the model say if it had, at one place, the state that it has when it reads another text? Weights say where a head looks; this says what a state does."],difference:["Difference of log-probabilities","In nats. Above 0, the first token is more likely than the second; plus 0.69 nats, twice as likely."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},cn=8;function Tl(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(cn,Math.min(n.left,innerWidth-t.offsetWidth-cn)),r=n.bottom+t.offsetHeight+cn<innerHeight?n.bottom+4:Math.max(cn,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function k(e,t){let[n,o]=vl[e];return u`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${Tl}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var Sl=24,Rl=.5,Al=.1;function Pl(){let{ablations:e=[]}=l.inspection.result;if(!e.length)return h;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>u`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return u`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${M("without",["#ablations"],t,()=>e)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, ${k("nats","nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}function un(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}function pn(e,t,n){let o=Math.max(n?Rl:Al,...t.map(Math.abs)),s=(r,i)=>{let a=$(e[i]??""),c=un(r,2),d={width:`${Number(c)===0?0:50*Math.abs(r)/o}%`,[r<0?"right":"left"]:"50%"};return u`<div class="change" role="listitem" aria-label="${a} ${r.toFixed(2)} ${n}">
      <bdi>${a}</bdi>
      <span class="track two"><span class=${r<0?"less":"more"} ${A(d)}></span></span>
      <span class="number">${c}</span>
    </div>`};return u`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(s)}
  </div>`}function El({token_changes:e,log_prob_change:t,text:n}){let o=l.heads.ablatedSentence,s=e.reduce((p,d)=>p+d,0),r=S()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",a=o.prefix!==""||o.edit?.kind==="translation",c=n===o.text;return u`<p>
      Written then${c?", the same as with all heads":""}:
      <bdi class="strong" id="written-then">${He(n,o.text)}</bdi>
    </p>
    ${a?u`<p class="hint" id="same-prefix">${i}</p>`:h}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${un(s,3)}</span> ${k("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, where each token follows the same
      words as above:
    </p>
    ${pn(Me(o),e,"nats")}
    <p class="hint"
      >The larger the change, the more the ${r} depends on what these heads look at. Weights alone do not tell. The
      other panels show the model with all its heads.</p
    >`}function Ml({predicted:e=[]}){let t=l.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:a})=>[i,a])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(a=>a.label).join(" ");return u`<p>
      Said then: <bdi class="strong" id="written-then">${He(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:a})=>o.get(i)-a);return u`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${pn(n,r,"")}`}function _l(){let{disabled:e}=l.heads;if(!e.length)return u`<p class="hint">
      Switch a head off: this shows how the probability of each token changes, and what the model
      ${Y()?"writes":"says"} instead.
    </p>`;let t=n=>u`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void ze([n])}
      >${n} ✕</button
    >`;return u`<p class="chips"
    >${e.length>Sl?`${e.length} heads are off.`:e.map(t)}</p
  >`}function Ol(e){let{predicted:t,token_changes:n}=e,o=Me(l.heads.ablatedSentence);return M("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function pr(){let{result:e,sentence:t}=l.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=l.heads;if(!e||!t)return h;if(l.server.storedPage)return Pl();if(!Z())return h;let i=I()||n!==null&&o!==t,a=d=>u`${Y()?El(d):Ml(d)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        The model was never trained without them: this is what they are worth here, not what another model could do.
      </p>`,c=u`<button id="all-on" @click=${()=>void le([])}>Switch all on</button>`,p=u`<button id="undo" @click=${()=>void xs()}>Undo</button>`;return u`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:h} ${r.length?p:h}
      ${n?Ol(n):h}
    </div>
    ${_l()} ${n?a(n):h}
  </section>`}var{I:Ph}=as;var dr=e=>e.strings===void 0;var Et=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),Et(o,t);return!0},dn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},hr=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Ll(t)}};function Cl(e){this._$AN!==void 0?(dn(this),this._$AM=e,hr(this)):this._$AM=e}function Hl(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)Et(o[r],!1),dn(o[r]);else o!=null&&(Et(o,!1),dn(o));else Et(this,e)}var Ll=e=>{e.type==ur.CHILD&&(e._$AP??=Hl,e._$AQ??=Cl)},hn=class extends it{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),hr(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(Et(this,t),dn(this))}setValue(t){if(dr(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var bo=new WeakMap,at=Pt(class extends hn{render(e){return h}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),h}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=bo.get(t);n===void 0&&(n=new WeakMap,bo.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?bo.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Il({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let a=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(a=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(a=s+/^\s*/u.exec(o.slice(s,a).join(""))[0].length);let p=o.slice(s,a).join("");return s=a,p})}var mr=/^▁?(<unk>|\[UNK\])$/;function Nl(e,t){let n=t.trim();return mr.test(e)&&n&&!mr.test(n)?`<unk: ${n}>`:e}function fn(e,t){let n=l.view.groupsWords?js(e):e.spelled.map((r,i)=>[i]),o=Il(e,t),s=e.spelled.map((r,i)=>Nl(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:be(t)}}function fr({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function gr(e,t,n,o,s){let r=l.view.groupsWords?Vs(t,n.groups,o.groups):t,i=fr(n,s.row),a=rt(r,i),c=a.indexOf(Math.max(...a)),p=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:p?fr(o,s.key):c}}function Wl({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,a=fn(e,r??s),c=fn(t,s),{outputPosition:p,inputPosition:d}=l.view,m=r===null&&i.length>0,f=m?p-1:p,b=gr("flow",Bs(n),a,c,{row:f,key:d});return m&&(a.groups=a.groups.map(y=>y.map(w=>w+1))),b}function Dl(){let{tokens:e,weights:t}=l.inspection.result,{head:n}=l.view,o=[...t.keys()],s=o.filter(a=>n===`${q}${E(a)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(a=>a.startsWith(`${i}.`))}var mn=null;function Fl(e){return mn?.heads.length===e.length&&e.every((n,o)=>n===mn.heads[o])||(mn={heads:e,mean:qs(e)}),mn.mean}function we(){let{result:e,flow:t}=l.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=l.view;if(!e)return null;if(n.startsWith(H))return t&&Wl(t);let{text:i,target:a,weights:c}=e,p=c.has(n)?[n]:Dl(),d=p[0].split(".")[0],m=e.tokens[d],f=p.map(R=>c.get(R)),b=fn(m.rows,d==="encoder"?i:a??i),y=fn(m.keys,d==="decoder"?a??i:i),w=m.rows.spelled.length-1,T=Kn(d)?{row:Math.min(o,w),key:s}:{row:Math.min(s??0,w),key:r};return gr(d,f.length>1?Fl(f):f[0],b,y,T)}function V({kind:e,rows:t,keys:n},o,s){let r=({groups:c},p)=>c[Math.max(0,Math.min(p,c.length-1))][0],i=r(t,o),a=r(n,s);Kn(e)?g({view:{outputPosition:i,inputPosition:a}}):g({view:{inputPosition:i,keyPosition:a}})}var br=12;function J(e,t=1){let n=K("paper"),o=K(e);return u`<span class="ramp" aria-hidden="true"
    >${Array.from({length:br},(s,r)=>{let i=n.map((a,c)=>Math.round(a+t*r/(br-1)*(o[c]-a)));return u`<i ${A({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var Bl=1e3,wo=.5,ql=.7,jl=.05,Vl="20px system-ui, sans-serif",Ul=16,Gl=3,Kl=3,$e=30,yr=14,yo=140,Xl=640,zl=.7,Jl=1.4,Yl=.4,gn=null;function Zl(e){let t=Math.min(l.view.rowShare,wo);if(gn?.weights===e&&gn.share===t)return gn.edges;let n=Math.max(1,Math.floor(Bl/e.rows)),o=Array.from({length:e.rows},(s,r)=>kr(e,r,t).slice(0,n)).flat();return gn={weights:e,share:t,edges:o},o}function kr(e,t,n){let o=rt(e,t);return[...sn(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var wr=new OffscreenCanvas(1,1).getContext("2d");function yn(e){return wr.font=Vl,wr.measureText(e).width}function bn(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),a=$(s),c=Math.max(24,yn(a));return r&&(n+=i?Gl:t*Ul),n+=c,{text:a,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function Ql({rows:e,keys:t},n){let o=f=>Math.max(bn(e,f).width,bn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(Kl,1+(n-yr-s)/Math.max(r,1))),a={rows:bn(e,i),keys:bn(t,i)},c=Math.max(a.rows.width,a.keys.width)+yr,p=(f,b)=>f.words.map(y=>({...y,x:y.x+(c-f.width)/2,y:b})),d=$e,m=d+yo;return{width:c,height:m+$e,keys:p(a.keys,$e/2),rows:p(a.rows,m+$e/2),path:(f,b)=>`M ${f.x} ${m} C ${f.x} ${m-yo/2}, ${b.x} ${d+yo/2}, ${b.x} ${d}`}}function ec(e,t){let n=[...e];if(yn(e)<=t)return e;for(;n.length>1&&yn(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function tc({rows:e,keys:t},n){let o=(p,d)=>p.labels.map(f=>ec($(f),Yl*n)).map((f,b)=>{let y=Math.max(24,yn(f));return{text:f,width:y,x:d?n-4-y/2:4+y/2,y:$e*(b+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(p=>p.width)),a=n-10-Math.max(...r.map(p=>p.width)),c=(i+a)/2;return{width:n,height:$e*Math.max(s.length,r.length),keys:s,rows:r,path:(p,d)=>{let m=`C ${c} ${p.y}, ${c} ${d.y}, ${i} ${d.y}`;return`M ${n-8-p.width} ${p.y} L ${a} ${p.y} ${m} L ${8+d.width} ${d.y}`}}}var $o=()=>vr()<Xl;function vr(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function $r(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function nc({text:e,x:t,y:n},o,s,r){return W`<text class="word" x=${t} y=${n} dy="0.35em" data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${r}
    @pointerenter=${i=>$r(i,o,s)}
    @pointerleave=${i=>$r(i,o,null)}>\u2068${e}\u2069</text>`}var xr=e=>e?W`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-$e/2+1}
        width=${e.width+8} height=${$e-2} rx="4"></rect>`:h;function Tr(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=vr(),a=$o(),c=a?tc(e,i):Ql(e,i),p=a?1:Math.max(zl,Math.min(Jl,i/c.width)),m=[...l.view.hidesOtherRows?[]:Zl(t).filter(y=>y.row!==s),...kr(t,s,l.view.rowShare)],f=y=>{let w=y.row===s,T=Math.max(jl,w?y.weight:ql*y.weight);return W`<path class=${w?"edge here":"edge"} data-row=${y.row} data-key=${y.key}
      data-weight=${y.weight.toFixed(3)} opacity=${T} stroke-width=${1+4*y.weight}
      d=${c.path(c.rows[y.row],c.keys[y.key])}></path>`},b=(y,w,T)=>w.map((R,_)=>nc(R,y,_,()=>T(_)));return u`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(p*c.width)}
      height=${Math.round(p*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label="Curves from each of ${n.labels.length} tokens to those of ${o.labels.length} that it looks at"
    >
      ${m.map(f)} ${xr(c.keys[r])} ${xr(c.rows[s])}
      ${b("key",c.keys,y=>V(e,s,y))}
      ${b("row",c.rows,y=>V(e,y,r))}
    </svg>
  </div>`}var O=e=>e.target.value,ce=e=>e.target.checked,lt=e=>e.ctrlKey||e.metaKey||e.altKey,wn=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);function oc(){let e=l.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var xo=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:oc()}),ko=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function ct(e){return e==="encoder"?"read":l.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function pe({kind:e,rows:t},n){let o=ct(e);return o==="read"?null:o==="translation"?xo(t.labels,n):ko(t.labels,n)}var ue=e=>u`<bdi class="strong">${$(e)}</bdi>`;function ne({writes:e,read:t},n="about",o=h){let s=u`${e===null?"the next token":ue(e)}${o}`;return t===null?u`${n} to write ${s}`:u`${n} to write ${s}, has read up to ${ue(t)}`}var Sr=4,sc=({weights:e},t)=>e.keys-e.rows+t;function vo(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>se(e.weights,t,n))}function rc(e){let t=e.rows.labels.flatMap((n,o)=>{let s=sc(e,o),r=i=>i<s||e.kind==="encoder";return vo(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function Rr(e,t){let n=t.slice(0,Sr+ +(t.length===Sr+1)),o=n.map((r,i)=>u`${i?", ":h}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return u`${o}${s?` and ${s} more`:h}`}function ic(e){let t=vo(e,e.row),n=pe(e,e.row),o=n?u`${ne(n,"About")}: it may`:u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?u`${o} look at ${Rr(e,s)}, and not at ${Rr(e,t)}.`:u`${o} look at all of them.`}var Ar={cross:"No cell is hatched: the text is there from the start, so every place may look at all of it. Heads that read what is written have hatched cells: a place may not look at tokens that are not written yet.",encoder:"No cell is hatched: the text is there from the start, so each token may look at those before and after it."};function Pr(e){let{kind:t}=e;if(t==="flow")return h;if(!e.rows.labels.some((d,m)=>vo(e,m).length))return Ar[t]?u`<p id="mask">${Ar[t]}</p>`:h;let o=ct(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, there are none. To show this, the whole ${o?"translation":"text"} is read at once, so a mask hides them.`:"",i=rc(e),a=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${a}; the rest is hidden.`,p=[r,c].filter(Boolean).join(" Also, ");return u`<p id="mask"> Hatched: ${p} ${ic(e)} </p>`}var Er=5,ac=.85,lc=.6;function cc({weights:e,rows:t,keys:n,row:o,key:s}){let r=(a,c)=>{let p=Math.max(0,Math.min(a-2,c-Er));return Array.from({length:Math.min(Er,c)},(d,m)=>p+m)},i=(a,c)=>{let p=se(e,a,c)?"forbidden":ye(e,a,c).toFixed(2),d=`${$(t.labels[a])} → ${$(n.labels[c])} ${p}`;return u`<td role="gridcell" aria-label=${d}></td>`};return u`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(a=>u`<tr> ${r(s,e.keys).map(c=>i(a,c))} </tr>`)}
    </tbody>
  </table>`}function Mr({pieces:e,labels:t,direction:n},o){let{id:s,label:r,chosen:i,shareOf:a,choose:c}=o,p=(m,f)=>{let b=a(f),y=m!==""&&!/\p{Letter}/u.test(m),w=A({background:b?oe("heat",ac*b):"",color:b>lc?"var(--paper)":""}),T=`part ${f===i?"here":""}`,[,R,_]=/^(\s*)([^]*)$/u.exec(m);if(st(e,f))return u`${R}<span class=${T} @click=${()=>c(f)} ${w}>${_}</span>`;let ke=_||m||$(t[f]);return u`<bdi class=${m?"":"symbol"} dir=${y?n:"auto"} @click=${()=>c(f)}
      >${_?R:h}<span class=${T} ${w}>${ke}</span></bdi
    >`},d=e.map(p);return u`<p id=${s} class="tokens" dir=${n} role="group" aria-label=${r}>${d}</p>`}var _r={translation:"the place where it is about to be written: all tokens before it have been read there",text:"the place where it has been read, and the next token is about to be written",read:"itself"};function uc(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${l.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${_r[ct(e)]}. Columns: ${t}.`}function pc({kind:e}){if(e==="flow")return h;let[t,n]=$o()?["Left","Right"]:["Above","Below"];return u`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${_r[ct(e)]}.
  </p>`}function dc(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>V(t,n-1,o),ArrowDown:()=>V(t,n+1,o),ArrowLeft:()=>V(t,n,o-i),ArrowRight:()=>V(t,n,o+i),Home:()=>V(t,n,0),End:()=>V(t,n,s.keys-1),n:()=>Be(1),p:()=>Be(-1),PageDown:()=>qe(1),PageUp:()=>qe(-1)}[e.key];lt(e)||!c||(c(),e.preventDefault())}var Ie=null,Or=()=>Ie;function hc(e,t){if(!Ie)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-Ie.left)/Ie.size),i=Math.floor((e.clientY-s.top-Ie.top)/Ie.size),a=o.direction==="rtl"?n.keys-1-r:r;i>=0&&a>=0&&i<n.rows&&a<n.keys&&V(t,i,a)}function mc(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",a={weights:t,rows:n.labels,keys:o.labels,chosen:{row:s,key:r},isMirrored:i},c=b=>{queueMicrotask(()=>{let y=b?.parentElement;y&&(Ie=sr(b,a,y.clientWidth))})},p=`${t.rows} rows, ${t.keys} columns`,d=u`<span><i class="stroke"></i> the others</span>`,m=t.values.includes(t.forbidden),f=u`<span><i class="forbidden"></i> forbidden by a mask</span>`;return u`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${l.view.head}: ${p}. Arrow keys choose a cell."
        ${at(c)}
        @pointerdown=${b=>hc(b,e)}
        @keydown=${b=>dc(b,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${k("weight","weight")} 0 ${J("heat")} 1</span>
      ${m?f:h}
      <span><i class="stroke here"></i> the chosen token</span> ${l.view.hidesOtherRows?h:d}
    </p>`}function fc(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:a}=e,c=n.values instanceof Uint16Array?3:2,p=T=>ye(n,r,T).toFixed(c),d=u`<bdi class="strong">${$(o.labels[r])}</bdi>`,m=u`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=u`<span class="strong number">${p(i)}</span>`,b=!se(n,r,i);if(t==="flow"&&b)return u`<p id="cell" role="status">${m} has a share of ${f} in ${d}.</p>`;let y=u`Most, ${p(a)}, goes to <bdi>${$(s.labels[a])}</bdi>.`,w=pe(e,r);return u`<p id="cell" role="status">
    ${w?u`${ne(w,"About")}:`:d}
    ${b?u`looks with ${f} at`:"may not look at"} ${m}. ${i===a?h:y}
  </p>`}function Cr(){let e=(r,i)=>u`<option value=${r} ?selected=${r===l.view.head}>${i}</option>`,t=[...l.inspection.result.weights.keys()],n=[...new Set(t.map(E))],o=r=>u`<optgroup label="${Gt(r)} (${r})">
      ${t.filter(i=>E(i)===r).map(i=>e(i,zn(i)))}
      ${e(`${q}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>u`<optgroup label="Through all layers">
      ${me.map(r=>e(`${H}${r}`,r))}
    </optgroup>`;return u`${k("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void te(O(r))}>
      ${n.map(o)} ${e("mean","mean")} ${l.server.storedPage?h:s()}
    </select>
    ${gc()}`}function gc(){let e=Ut();if(!e)return h;let{head:t,isOfModel:n}=e;return u`<button id="aligns" aria-pressed=${l.view.head===t} @click=${()=>void te(t)}
    >${n?"Show the alignment head":"Show the alignment layer of this sentence"}</button
  >`}function bc(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=l.view,o=`${Math.round(100*e)} %`;return u`${k("share","Share of a row")}
    <label
      ><input
        id="share"
        type="range"
        min="0.1"
        max="1"
        step="0.05"
        .value=${String(e)}
        aria-label="Share of a row"
        aria-valuetext=${o}
        @input=${s=>g({view:{rowShare:Number(O(s))}})}
      />
      <span class="number">${o}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${t}
        @change=${s=>g({view:{groupsWords:ce(s)}})}
      />
      ${k("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:ce(s)}})}
      />
      only the chosen token</label
    >`}function yc({weights:e,rows:t,keys:n}){let o=(a,c)=>se(e,a,c)?null:ye(e,a,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((a,c)=>n.labels.flatMap((p,d)=>{let m=o(c,d);return m===null?[]:[[c,d,a,p,m]]}))],r=(a,c)=>{let p=o(a,c);return p===null?null:Number(p)};return M("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:l.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((a,c)=>n.labels.map((p,d)=>r(c,d)))}))}var wc="<s> is the symbol that begins a text, </s> the one that ends it.";function $c({kind:e,keys:t}){return u`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":h} ${e==="flow"?h:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${wc}
  </p>`}function To(e){return(S()||l.server.storedPage)&&e!=="encoder"&&e!=="decoder"?"Alignment":"Attention"}function xc(){let e=Y()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return u`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${To()}</h2></div>
    ${l.inspection.result?Cr():h}
    <p class="hint">${x()?"…":e}</p>
  </section>`}function kc(){let{head:e}=l.view,{result:t}=l.inspection;return t?.weights.has(e)?Kt(e):e.startsWith(H)?`Through all layers: ${e.slice(H.length).replace("-"," ")}`:e.startsWith(q)?`Mean of ${Gt(e.slice(q.length))}`:"Mean of the last kind of heads"}function Hr(){let e=we();return!e||!l.inspection.result?xc():u`<section class="panel alignment ${Lr(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title"
        >${Ut()?k("alignment",To(e.kind)):To(e.kind)}</h2
      >
      <span id="shown-head" class="strong">${kc()}</span>
      ${yc(e)}
    </div>
    <div class="together chooser" data-unsaved>${Cr()}</div>
    ${Tr(e)} ${pc(e)} ${fc(e)} ${Tc(e)}
  </section>`}var vc="They are no dictionary: they show where one head looks, and it may look at another word than the one that is translated.";function Tc({kind:e}){return u`<p class="hint">
    Lines lead to the largest weights: of the chosen token, to those that are ${Math.round(100*l.view.rowShare)} %
    of its row; of each other token, to those that are
    ${Math.round(100*Math.min(l.view.rowShare,wo))} %. ${e==="cross"?vc:h}
  </p>`}function Lr({kind:e}){let{result:t,flow:n}=l.inspection;return I()||e==="flow"&&n?.inspection!==t}function Ir(){let e=we();if(!e||!l.inspection.result)return h;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=rt(r,o),a=sn(i,l.view.rowShare),c=Mr(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:d=>V(e,d,s)}),p=Mr(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:d=>a.has(d)?i[d]:0,choose:d=>V(e,o,d)});return u`<section class="panel matrix ${Lr(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${bc()}
    </div>
    <p class="hint" id="axes">${uc(e.kind)}</p>
    ${Pr(e)} ${mc(e)} ${cc(e)}
    <div class="sides">${c} ${p}</div>
    ${$c(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var Sc=6,Nr=1,So=e=>g({trial:{softmax:{...l.trial.softmax,...e}}});function Wr(e,t,n){return u`<label><input id=${e} type="checkbox" .checked=${t} @change=${s=>So(e==="scaled"?{isScaled:ce(s)}:{isMasked:ce(s)})} /> ${n}</label>`}function Dr({factor:e,query:t,allowed:n}){let{softmax:o}=l.trial,{temperature:s,isScaled:r,isMasked:i}=o,a=p=>So({temperature:10**Number(O(p))}),c=u`<button id="own-softmax" @click=${()=>So(Tt)}>As the model has it</button>`;return u`<div class="controls together" data-unsaved>
      <label
        >${k("temperature","temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-Nr}
          max=${Nr}
          step="0.05"
          .value=${String(Math.log10(s))}
          aria-label="Temperature of this row"
          aria-valuetext=${s.toFixed(2)}
          @input=${a}
        />
        <span class="number">${s.toFixed(2)}</span></label
      >
      ${e===1?h:Wr("scaled",r,`1 ÷ √${t.length}`)}
      ${n.every(Boolean)?h:Wr("masked",i,"mask")} ${jt(o)?h:c}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`}function Rc(e,t){let n=qn(t,Tt).entropy.toFixed(2),o=u`, in place of <span class="number">${n}</span>`;return u`<p class="hint" id="row-spread">
    The weights are spread by
    <span class="strong number">${e.entropy.toFixed(2)}</span> nats
    (entropy)${jt(l.trial.softmax)?h:o}. ${e.total.toFixed(2)} is the sum of the column
    before it, over all keys.
  </p>`}function Fr(e,t){let{softmax:n}=l.trial,o=qn(t,n),{keys:s,scores:r,exponentials:i,highest:a,total:c,weights:p}=o,d=s.slice(0,Sc),m=d.includes(e.key)||!s.includes(e.key)?d:[...d,e.key],f=jt(n),b=u` <span class="hint">(hidden)</span>`,y=_=>u`<tr class=${_===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[_])}</bdi>${t.allowed[_]?h:b}</td>
      <td class="number">${r[_].toFixed(2)}</td>
      <td class="number">${i[_].toFixed(3)}</td>
      <td class="number">${p[_].toFixed(3)}</td>
      ${f?h:u`<td class="number">${t.weights[_].toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${A({width:`${100*p[_]}%`})}></span></span>
      </td>
    </tr>`,w=s.length-m.length,T=n.temperature===1?"":` ÷ ${n.temperature.toFixed(2)}`,R=`score − ${a.toFixed(2)}`;return u`<table id="softmax" class=${f?"":"compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${T?`(${R})${T}`:R})</th>
          <th>÷ ${c.toFixed(2)} = weight</th>
          ${f?h:u`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${m.map(y)} </tbody>
    </table>
    ${w>0?u`<p class="hint">and ${w} more keys.</p>`:h} ${Rc(o,t)}`}var Br=320,qr=18;function Ne(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=Br/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,a=(c,p)=>W`<rect x=${p*r} width=${r} height=${qr} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return u`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Br} ${qr}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(a)}
    </svg>
  </div>`}var Ac=.01,Pc=.12;function Ec({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>u`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${A({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return u`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function Mc({likelier:e,said:t}){if(!e.length&&!t)return h;let n=()=>u`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>u`Read by the output layer, it makes these more likely than any others:
    ${e.map(([s,r])=>u`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)}
    (${k("logit","logits")}).`;return u`<p>${e.length?o():h} ${t?n():h}</p>`}function _c({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,p)=>p===0||n.weights[c]>=Ac),r=n.weights.filter(c=>c>0).length-s.length,i=Math.max(0,1-s.reduce((c,p)=>c+n.weights[p],0)),a=s.map((c,p)=>{let d=n.weights[c],m=u`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${d.toFixed(2)}</span>`,f=Math.max(Pc,d);return Ne(`value ${p}`,m,n.values[p],{max:o,opacity:f})});return u`<p>
      Each of these tokens has a ${k("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${a}
    ${r?u`<p class="hint">and ${r} more keys, together × ${i.toFixed(2)}.</p>`:h}
    ${Ne("sum",u`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${Ec(n)}</div>
    ${Mc(n)}`}function jr(e){Cs(e);let{writes:t}=l.inspection,n=et(),o=t!==null&&t.cell!==ge(e.row,l.view.head);return u`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?u`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?_c({keys:t.result.keys,labels:t.view.keys.labels},t.result):u`<p class="hint">…</p>`}
  </div>`}var Ro="The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values.";function Oc({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:a}=t;if(!a[e])return u`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),p=f=>u`<span class="number">${f.toFixed(3)}</span>`,d=u`, times ${p(s)} (1 ÷ √${n.length})`,m=u`, plus ${p(i[e])} for the positions`;return u`<p id="score">
    The sum, ${p(c)}${s===1?h:d}${i[e]?m:h}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function Cc(e,t){let n=u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=u`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=pe(e,e.row),r=s?u`the place that is ${ne(s)}`:u`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",a=s?.writes?u`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return u`<p class="hint">${Ro}</p>
    <p class="hint" id="place">The query belongs to ${r}.</p>
    ${Ne("query",a,t.query)} ${Ne("key",u`key of ${o}`,t.key)}
    ${Ne("terms",i,t.terms)} ${Oc(e,t)} ${Dr(t)}
    ${Fr(e,t)} ${jr(e)}
    <p class="legend"><span>below 0 ${J("less")}</span> <span>above 0 ${J("more")}</span></p>`}function Hc(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return M("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((p,d)=>[p,n[d],o[d],Number(s[d]),r[d]])],()=>({head:l.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:l.inspection.writes?.result??null}))}function Vr(){let e=we(),t=l.inspection.result;if(!t||!e||l.server.storedPage)return h;let{showsComputation:n,groupsWords:o,head:s}=l.view,r=t.weights.has(s);n&&!o&&Os(e);let i=n&&r&&!o?l.inspection.lookup:null,a=I()||i!==null&&i.cell!==io(e),p=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?Cc(i.view,i.result):"…":u`<p class="hint">${Ro}</p>
        <p class="hint">What is shown is not one head. Choose a head in the grid.</p>`:`${Ro} This shows the numbers.`;return u`<section class="panel computed ${a?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${k("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?Hc(i.view,i.result):h}
    </div>
    ${typeof p=="string"?u`<p class="hint">${p}</p>`:p}
  </section>`}var Lc=()=>v()?.arch==="rnn",Ic=()=>[...l.inspection.result?.weights.keys()??[]].some(e=>e.startsWith("decoder.")),Ao={shuffle:{button:"Shuffle the words",says:"The model reads the words of the text in another order.",reason:()=>l.inspection.result?.target===null?"reads no other text than its own":void 0},"no-positions":{button:"Take positions away",says:"Nothing tells the model any more where a token stands: neither positions that are added to embeddings, nor those in the scores. Attention alone sees a set of tokens; the mask is left.",reason:()=>Lc()?"reads token by token: it has no positions to take away":void 0},future:{button:"Let it see the future",says:"No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was trained with the mask, so it has not learnt what to do with them.",reason:()=>Ic()?void 0:"reads token by token: it has no mask to take away"}},Ur=0;function Nc(){let e=t=>{let{button:n,reason:o}=Ao[t],s=o(),r=l.inspection.experiment?.result.change===t,i=()=>{t==="shuffle"&&(Ur+=1),Is(t,Ur)};return u`<button
      data-change=${t}
      aria-pressed=${r}
      ?disabled=${s!==void 0}
      title=${s?`This model ${s}.`:h}
      @click=${i}
      >${n}</button
    >`};return u`<p class="together" data-unsaved>${Object.keys(Ao).map(e)}</p>`}var Gr=e=>e.reduce((t,n)=>t+n,0);function Wc({change:e,source:t,tokens:n,before:o,after:s}){let r=s.map((d,m)=>d-o[m]),[i,a]=[Gr(o),Gr(s)],c=(d,m)=>u`<span class="strong number" id=${m}>${d.toFixed(2)}</span>`,p=u`<p>It reads: <bdi class="strong" id="shuffled">${t}</bdi></p>`;return u`<p>${Ao[e]?.says}</p>
    ${e==="shuffle"?p:h}
    <p>
      The same ${v()?.direction?"translation":"text"} then has a log-probability of
      ${c(a,"sum-after")} in place of ${c(i,"sum-before")} (<span class="number"
        >${un(a-i,2)}</span
      >
      ${k("log-probability","nats")}). Of each token:
    </p>
    ${pn(n,r,"nats")}
    <p class="legend">
      <span><i class="less"></i> less likely then</span>
      <span><i class="more"></i> more likely</span>
    </p>`}function Dc(e){let{tokens:t,before:n,after:o}=e;return M("experiment",[".experiments .changes"],()=>[["token","before","after"],...t.map((r,i)=>[r,n[i],o[i]])],()=>e)}function Kr(){let{result:e,experiment:t,snapshot:n}=l.inspection;if(!Y()||!e||n!==null)return h;let o=t?.inspection===e?t.result:null,s=u`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;return u`<section class="panel experiments ${I()?"stale":""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${o?Dc(o):h}
    </div>
    ${Nc()} ${o?Wc(o):s}
  </section>`}var Fc=.85,Bc=.6,Xr={encoder:"Encoder: the text",decoder:"Decoder: what is written"},Po=e=>e.toFixed(2).replace(/^-0\.00$/,"0.00");function qc(e,{tokens:t,effects:n}){let o=n[e],{patched:s}=l.trial,r=(a,c,p)=>{let d=s?.stack===e&&s.layer===c&&s.position===p,m=Math.min(1,Math.max(0,a)),f=A({background:oe("heat",Fc*m),color:m>Bc?"var(--paper)":""}),b=`${$(t[e][p])} after layer ${c}: effect ${Po(a)}`;return u`<td>
      <button
        class="patch number"
        aria-pressed=${d}
        aria-label=${b}
        ${f}
        @click=${()=>g({trial:{patched:{stack:e,layer:c,position:p}}})}
        >${Po(a)}</button
      >
    </td>`},i=(a,c)=>u`<tr>
      <th scope="row">layer ${c}</th>
      ${a.map((p,d)=>r(p,c,d))}
    </tr>`;return u`<div class="scroll" tabindex="0" role="group" aria-label=${Xr[e]??e}>
    <table class="patches" data-stack=${e}>
      <thead>
        <tr>
          <th scope="col">${Xr[e]??e}</th>
          ${t[e].map(a=>u`<th scope="col"><bdi>${$(a)}</bdi></th>`)}
        </tr>
      </thead>
      <tbody> ${o.map(i).reverse()} </tbody>
    </table>
  </div>`}function jc({answers:e,difference:t,other_difference:n,tokens:o,effects:s}){let{patched:r}=l.trial,a=(r&&s[r.stack])?.[r.layer]?.[r.position];if(a===void 0)return h;let{stack:c,layer:p,position:d}=r,m=t+a*(n-t);return u`<p id="patch-effect" role="status">
    The state of the other text in the place of ${ue(o[c][d])}, after layer ${p} of the
    ${c}: <span class="strong number">${Po(a)}</span> of the way from ${ue(e[0])} to
    ${ue(e[1])}. The difference of their log-probabilities is then
    <span class="number" id="patch-difference">${m.toFixed(2)}</span> ${k("difference","nats")}.
  </p>`}function Vc(e){let{answers:t,difference:n,other_difference:o,effects:s}=e;return u`<p id="patch-answers">
      After this text the model says ${ue(t[0])}, after the other one ${ue(t[1])}: log
      p(<bdi>${$(t[0])}</bdi>) − log p(<bdi>${$(t[1])}</bdi>) is
      <span class="number">${n.toFixed(2)}</span> and
      <span class="number">${o.toFixed(2)}</span>. Each number below: how much of the way one state of the
      other text goes, put into the run on this one. 0: nothing changes; 1: that state alone makes the model say
      ${ue(t[1])}.
    </p>
    ${Object.keys(s).map(r=>qc(r,e))} ${jc(e)}`}function Uc(e,t){return M("patching",[".patches","#patch-effect"],()=>[["stack","layer","position","token","effect"],...Object.entries(e.effects).flatMap(([o,s])=>s.flatMap((r,i)=>r.map((a,c)=>[o,i,c,e.tokens[o][c],a])))],()=>({other:t,...e}))}function zr(){let{result:e,patching:t,snapshot:n}=l.inspection;if(!e||n!==null||l.server.storedPage||e.arch==="rnn")return h;let o=t?.inspection===e?t:null,s=l.trial.otherText??e.text,r=a=>{a.preventDefault(),Ns(s)},i=u`<p class="hint">
    Which states make the difference? Change one word of the text, so that what the model says changes, too. States of
    the other text are then put into the run on this one, one at a time. Both texts need the same number of tokens.
  </p>`;return u`<section class="panel patching ${I()?"stale":""}" aria-labelledby="patching-title">
    <div class="head">
      <h2 id="patching-title">${k("patching","Patching")}</h2>
      ${o?Uc(o.result,o.other):h}
    </div>
    <form class="together" data-unsaved @submit=${r}>
      <label
        >The other text
        <input
          id="other"
          type="text"
          dir="auto"
          autocomplete="off"
          .value=${s}
          @input=${a=>g({trial:{otherText:O(a)}})}
        />
      </label>
      <button id="patch" ?disabled=${s===e.text||!v()}>Exchange states</button>
    </form>
    ${o?Vc(o.result):i}
  </section>`}var Gc=5,Kc=480,Jr=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function Yr(e){let{importance:t,importanceByToken:n}=l.heads,{sentence:o}=l.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return h;let i=S()?0:1,a=Math.max(0,Math.min(l.view.outputPosition-i,r-1)),c=e.findIndex((b,y)=>b===l.view.head&&s[y].length),p=$(Me()[a]??""),d=c<0?"":`${e[c]} is worth ${s[c][a].toFixed(3)} nats for ${p}.`,m=b=>{b&&or(b,s,r)},f=b=>{let y=b.target.getBoundingClientRect(),w=e[Jr(b.clientY-y.top,y.height,e.length)],T=Jr(b.clientX-y.left,y.width,r)+i;g({view:{head:w,outputPosition:Math.min(T,o.tokens.length-1)}})};return u`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${d}"
      ${at(m)}
      ${A({height:`${Math.min(Gc*e.length,Kc)}px`})}
      @pointerdown=${f}
    ></canvas>
    <p id="sweep-cell" role="status">${d||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${J("less")}</span>
      <span>less likely ${J("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${S()?", the end included":" after the first"}.
    </p>
  </details>`}var Xc=44,zc=.4,Eo={place:()=>0,worth:({head:e})=>-(l.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},Qr=()=>l.heads.sortBy!=="place"&&Object.hasOwn(Eo,l.heads.sortBy);function ei(){let{heads:e}=l.inspection.result;if(Qr()){let n=Eo[l.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>E(n.head)))].map(n=>({layer:n,heads:e.filter(o=>E(o.head)===n)}))}var ti=()=>l.inspection.result.heads.map(e=>e.head),ni=e=>ti().filter(t=>E(t)===E(e));function oi(e){let t=ti().filter(s=>s!==e),{disabled:n}=l.heads,o=n.length===t.length&&!n.includes(e);le(o?[]:t)}function Jc(e,t){let n=ei().map(({heads:p})=>p.map(d=>d.head)),o=n.findIndex(p=>p.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),a=(p,d)=>p[Math.max(0,Math.min(d,p.length-1))];return{ArrowLeft:a(r,i-1),ArrowRight:a(r,i+1),ArrowUp:a(a(n,o-1),s),ArrowDown:a(a(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var Zr={n:()=>Be(1),p:()=>Be(-1),PageDown:()=>qe(1),PageUp:()=>qe(-1)};function Yc(e,t){if(lt(e))return;let n=Jc(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(Zr,e.key))Zr[e.key]();else if(e.key===" "&&Z())ze(e.shiftKey?ni(t):[t]);else if(e.key==="s"&&Z())oi(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${l.view.head}"]`)?.focus())}function Zc(e){let t=Math.max(...Object.values(l.heads.importance??{}),1e-9),n=oe("more",zc*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return u`<span class="tag number" aria-hidden="true" ${A({background:n})}>${o}</span>`}function Qc({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function eu(e,t){let{head:n}=e,o=l.inspection.result.weights.get(n),s=l.heads.disabled.includes(n),r=l.heads.importance?.[n],i=Qc(e),a=p=>{p&&nr(p,o,Xc)},c=n.replace(/^(\w)\w+/,"$1");return u`<button
    class="cell ${s?"off":""}"
    aria-pressed=${l.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${p=>Yc(p,n)}
    ><canvas ${at(a)}></canvas>
    ${Qr()?u`<span class="tag" aria-hidden="true">${c}</span>`:h}
    ${r===void 0?h:Zc(r)}</button
  >`}function tu(e){let t=l.heads.disabled.includes(e),n=ni(e).filter(o=>o!==e);return u`<button id="toggle" data-unsaved @click=${()=>void ze([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>oi(e)}>Solo</button>
    <button data-unsaved @click=${()=>void le(n)}>Solo in its layer</button>`}function nu({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e],i=u`, ${k("offset","offset")} ${s?.toFixed(1)}`;return u`<div class="chosen">
    <p class="strong" id="head-words">${Kt(e)}</p>
    ${Z()?u`<p class="together">${tu(e)}</p>`:h}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${k("label",t)}; ${k("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${k("highest","highest weight")}
      ${o.toFixed(2)}${s===null?h:i}, mean over
      rows.${r===void 0?h:u` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var ou={entropy:"spread (entropy)",sharpness:"highest weight"};function su(){let{sortBy:e,importance:t}=l.heads,n=Object.keys(Eo).filter(s=>s!=="worth"||t),o=s=>u`<option value=${s} ?selected=${s===e}>${ou[s]??s}</option>`;return u`<label
    >Order
    <select id="order" @change=${s=>g({heads:{sortBy:O(s)}})}>
      ${n.map(o)}
    </select></label
  >`}function ru(e,t){if(!e)return h;let n=`Layer ${e.split(".")[1]}`;return Z()?u`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void ze(t)}
    >${n}</button
  >`:u`<span class="site">${n}</span>`}function iu(e){return l.inspection.result?.target!=null?e==="encoder"?"Encoder: the text reads itself":e==="cross"?"Cross: the translation reads the text":"Decoder: the translation reads what is written (grey area: not written yet)":"The text reads itself"}function au(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function lu(e,t){let[n]=e[0].layer.split(".");return u`<div class="group">
    ${n?u`<p class="kind hint">${iu(n)}</p>`:h} ${e.map(o=>cu(o,t))}
  </div>`}function cu({layer:e,heads:t},n){let o=t.map(s=>s.head);return u`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${ru(e,o)}
    <div class="cells ${e?"":"sorted"}" ${A({"--count":String(t.length)})}>
      ${t.map(s=>eu(s,s.head===n))}
    </div>
  </div>`}function uu(){let{heads:e}=l.inspection.result,{importance:t,importanceByToken:n,disabled:o}=l.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return M("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?Me():[]],...e.map(({head:c,label:p,entropy:d,confidence:m,offset:f})=>{let b=t?n[c]??[]:[];return[c,p,d,m,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function si(){let e=l.inspection.result;if(!e)return u`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=l.heads,n=e.heads.find(c=>c.head===l.view.head),o=ei(),s=n?.head??o[0]?.heads[0]?.head,r=u`<button id="rank" @click=${()=>void Je()}>Rank all heads</button>
    <span class="hint">by ${k("worth","worth")}</span>`,i=()=>Le("heads-off.txt",`${t.join(`
`)}
`);return u`<section
    class="panel heads ${I()?"stale":""}"
    aria-labelledby="heads-title"
    ${A({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${su()} ${Y()&&Z()?r:h}
      ${t.length?u`<button @click=${i}>List of heads that are off</button>`:h}
      ${uu()}
    </div>
    ${n?nu(n):h}
    <div id="heads">${au(o).map(c=>lu(c,s))}</div>
    ${Yr(o.flatMap(({heads:c})=>c.map(p=>p.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${Z()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":h}
    </p>
  </section>`}var Mo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function $n(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:Mo(),block:"start"})})}var ri=150,_t=40,_o=84,Mt=ri-_o/2,pu=e=>/\.\d+\.\d+$/.test(e);function du(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&l.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function hu({parts:e}){return Object.keys(e).filter(pu).sort((n,o)=>e[o]-e[n])[0]}function mu({name:e,length:t,total:n},o,s){let r=y=>Math.min(_o,Math.max(1,_o*y/s)),[i,a]=[r(o),r(n)],c=Math.min(_t,r(t)),p=e==="embeddings",d=p?a:i,m=_t/2,f=Mt-i/2,b=`M 0 ${m} C 30 ${m}, ${f-14} ${m}, ${f+6} ${m+4}`;return W`<path class="state" d="M ${Mt-d/2} 0 L ${Mt+d/2} 0
      L ${Mt+a/2} ${_t} L ${Mt-a/2} ${_t} Z"></path>
    ${p?h:W`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function fu(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:a}=e,c=hu(e),p=c!==void 0&&E(l.view.head)===s,d=()=>{te(c),$n(".alignment")},m=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=du(s),b=u`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${d}
    >${f}</button
  >`;return u`<div class="junction ${p?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${ri} ${_t}" preserveAspectRatio="none" role="img" aria-label=${m}>
      <title>${m}</title>
      ${mu(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${a?u`<bdi class=${a[0]===o?"strong":""}>${$(a[0])}</bdi
            ><span class="number">${(100*a[1]).toFixed(0)} %</span>`:h}
  </div>`}function ii(e,t){if(l.server.storedPage||et()||!l.inspection.result?.weights.size)return;Hs(e);let{stream:n}=l.inspection;if(!n)return u`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:p})=>p)),[r]=o,{token:i,position:a}=r?.parts??{},c=u`The first row has two parts: the embedding of the token, ${i?.toFixed(1)} long, and that of
  its position, ${a?.toFixed(1)} long. So the state knows from the first row on where the token stands. (Vectors
  point in different directions, so lengths do not add up.)`;return u`<div class="captions" aria-hidden="true">
      <span>part</span><span class="state-caption">state</span><span class="number length">adds</span
      ><span>would write</span><span class="number">likely</span>
    </div>
    <div class="stream ${n.cell===ge(e)?"":"stale"}" role="list">
      ${o.map((p,d)=>fu(p,{before:o[d-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      From top to bottom, ${k("stream","the state")} of the place above grows: each attention and each feed-forward
      layer adds a vector of the length beside it. The last columns have the token that the output layer would write
      from the state as it is there, and how likely (the ${k("lens","logit lens")}). Before the last layers this is
      a hint only: the state is made for the layers that follow. At the top it is still the token that was read.
      ${a===void 0?"The embedding has no part for the position.":c}
    </p>`}var gu=5;async function We(){Ze(),await li()}async function ai(){let{text:e}=l.request,t=ee(),n=()=>t!==null&&ee()===t&&l.request.text===e&&!l.status.error;await li();for(let o of t?.edits??[])n()&&await bu(o);t&&n()&&await yu(t,n),ee()===t&&!l.status.error&&Ze(),g({})}async function bu({sentenceIndex:e,edit:t}){if(!l.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=l.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?di(t.position,t.token,t.prefix):ut(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await B()}async function yu(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=l.heads;s&&t()&&await fe(),r&&t()&&await Je(),g({heads:{sortBy:i}}),o&&t()&&await Ot(o),n!==null&&v()?.snapshots?.includes(n)&&t()&&await nn(n)}async function li(){let{text:e,isHtml:t}=l.request;if(Oe("inspect"),!S())return;if(!e.trim())return Oe("translate"),g(...Vt);if(t)return await wu(e);await P("translate","Translating",async o=>{let s=Ve(),r={...U(),...s,text:e,alternatives:je};await ci(r,o,{decoding:s},i=>{let a=Math.max(0,Math.min(l.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:a}})})})&&x()?.isDone&&await B()}async function wu(e){await P("translate","Translating",async t=>{let n={...U(),...Ve(),text:e,format:"html"},{text:o}=await C("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},Un)})}async function ci(e,t,n,o){let s=l.request.temperature?{}:{n_best:Math.min(l.request.beamSize,gu)},r=[];for await(let{name:i,data:a}of fs({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<a.sentences;c++)r.push({...nt(),index:c,...n});continue}if(i==="error")throw new G(a.status,a.message);if(i==="token"){let c=r[a.sentence];c.text=a.text,c.tokens.push(...a.tokens??[])}else i==="done"&&$u(r,a,n.separator);o(r)}}function $u(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:a,score:c,source:p,ids:d,n_best:m=[]}=r,f=Math.max(t.indexOf(a,s),s),b={text:a,score:c,source:p,ids:d,nBest:m,isDone:!0,separator:o??t.slice(s,f)};ao(Object.assign(e[i],b),r),s=f+a.length})}function ui(){let e=Object.values(l.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var pi=e=>!ot(e)||S()&&e===ui();async function Oo(e,t){let n=x();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);F(),await xn(async()=>{t===ui()?await ut({text:z(o),ids:n.ids.slice(0,e)}):await di(e,t,z([...o,t]))})}async function xn(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),Xe(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function di(e,t,n){let o=x(),{sentences:s}=l.output,{sentenceIndex:r}=l.view;if(!o?.isDone)return;let{source:i,separator:a}=o,c=Ve(),p={...U(),...c,text:i,prefix:n,split:!1,alternatives:je},d={kind:"prefix",position:e,token:t,prefix:n},m={source:i,separator:a,decoding:c,prefix:n,original:o.original??o,edit:d},f=s,b=await P("translate","Decoding again",async w=>{await ci(p,w,m,([T])=>{f=s.with(r,T),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&l.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&x()?.isDone&&await B()}async function Co(){let{original:e}=x()??{};e&&(F(),await xn(async()=>{let{sentenceIndex:t,outputPosition:n}=l.view;g({output:{sentences:l.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await B()}))}async function hi(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...U(),text:e.source,...s,alternatives:je},i=await C("score",r,o),a={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return ao(a,{...i,tokens:i.tokens.slice(0,-1)}),a}async function Ot(e){let t=x(),{compared:n}=l.output;if(!t||n&&on(n,e))return g({output:{compared:null}});await P("compare","Reading",async o=>{g({output:{compared:await hi(t,e,o)}})})}async function ut(e){let t=x(),{sentenceIndex:n}=l.view;if(!t)return;await P("translate","Reading",async s=>{let r=await hi(t,e,s),i=Math.max(0,Math.min(l.view.outputPosition,r.tokens.length-1));g({output:{sentences:l.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await B()}var fi=.55,xu=-3,pt=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,Ho=e=>({background:e===null?"":oe("doubt",fi*Math.min(1,e/xu))});function gi(e,t){let n=l.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&B()}function ku(e,t,n){let o=l.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||lt(e)||(e.preventDefault(),gi(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function bi({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function vu(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=l.view,a=l.view.sentenceIndex===n,c=a&&i===t,p=t===0&&(!a||i>=e.tokens.length),d=bi(e,r,t);return u`<button
    class="token ${o?"new":""} ${d?"prefix-end":""} ${s}"
    ${A(Ho(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||p?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":pt(r.log_prob)}
    title=${d?"written by you":h}
    @click=${()=>gi(n,t)}
    @keydown=${m=>ku(m,n,t)}
    @pointerenter=${m=>Ru(m,n,t)}
    @pointerleave=${yi}
    dir="auto"
    >${$(r.token)}</button
  >`}var Tu=200,Su=280,mi=8,kn=0;function Ru(e,t,n){if(e.pointerType==="touch"||(clearTimeout(kn),!l.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function yi(){clearTimeout(kn),kn=window.setTimeout(()=>{l.view.hoveredToken&&g({view:{hoveredToken:null}})},Tu)}function vn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=l.view;if(!t)return h;let{sentenceIndex:s,position:r,left:i,bottom:a}=t,c=l.output.sentences[s],p=c?.tokens[r];if(!p||s===n&&r===o)return h;let d=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},m=innerWidth-Su-mi,f={left:`${Math.max(mi,Math.min(i,m))}px`,top:`${a}px`};return u`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(kn)}
    @pointerleave=${yi}
    ${A(f)}
  >
    ${wi(c,p,d,-1)}
  </div>`}function wi(e,t,n,o){let s=(r,i)=>{let a=r===t.token;return u`<button
      class="bar ${a?"own":""}"
      tabindex=${o}
      ?disabled=${a||!e.isDone||!pi(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${A({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${pt(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function Tn(e){let t=x(),{outputPosition:n}=l.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return h;let s=$(o.token);return u`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${wi(t,o,r=>void e(n,r),0)}
  </div>`}var Au=e=>u`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void Co()}
    >✕</button
  >`,Lo=(e,t)=>t&&e.startsWith("▁")?" ":h;function Pu(e,t){let{original:n}=e;if(!n||!e.isDone)return h;let o=u`<button id="take-back" data-unsaved @click=${()=>void Co()}>Take it back</button>`;return u`<p class="before hint">
    before: <bdi>${He(n.text,e.text,"deleted")}</bdi> ${t===l.view.sentenceIndex?o:h}
  </p>`}function dt(e,t){let n=lo(e),o=e.tokens.map(c=>c.token),s=!e.isDone&&l.status.busy.translate,r=o.map((c,p)=>{let d=st(o,p),m=vu(e,p,t,n[p],d),b=e.isDone&&bi(e,e.tokens[p],p)&&t===l.view.sentenceIndex;return u`${Lo(c,p)}${m}${b?Au(c):h}`}),i=be(z(o)),a=`Sentence ${t+1}`;return u`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${a}>
      ${r}${s?u`<span class="caret"></span>`:h}
    </p>
    ${Pu(e,t)}`}function ht(){let e=l.output.sentences.some(s=>lo(s).some(Boolean)),t=x()?.edit?.kind==="prefix",n=u`<span><u class="new">underlined</u>: other than before</span>`,o=u`<span><span class="token prefix-end">framed</span>: written by you</span>`;return u`<p class="legend" id="doubts">
    <span>${k("probability","the model was sure")} ${J("doubt",fi)} unsure</span>
    ${e?n:h} ${t?o:h}
  </p>`}function mt(){let e=l.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let a=[n,i,o,s];return r.length?r.map(c=>[...a,...c]):[[...a,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var Eu=900,$i=0;function xi(){g({view:{isPlaying:!l.view.isPlaying}}),clearInterval($i),l.view.isPlaying&&($i=window.setInterval(Mu,Eu))}function Mu(){let e=(l.inspection.sentence?.tokens.length??1)-1;l.view.outputPosition>=e?xi():g({view:{outputPosition:l.view.outputPosition+1}})}var _u=e=>e?`layer ${e-1}`:"embeddings";function Ou(e,t,n){let o=(s,[r,i])=>u`<div class="change" role="listitem">
      <span>${_u(s)}</span
      ><span class="track"><span ${A({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return u`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${k("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function Cu(e,t){return M("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],a)=>[a,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:l.inspection.stream?.result.sublayers??null}))}function Hu(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=l.view,a=typeof r=="number"?u` (<span id="probability">${pt(r)}</span>)`:h,c=e.tokens.map(y=>y.token),p=u`<bdi class="strong">${$(s)}</bdi>${a}`,d=!n&&l.inspection.result.target!==null,m=()=>ne(xo(c,t),"about",a),f=u`${p}; this place is ${ne(ko(c,t))}`,b=d?m():n?f:p;return u`<div class="controls">
    <button id="play" @click=${xi} aria-label=${i?"Pause":"Play"}
      >${i?"❚❚":"▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${o}
      step="1"
      .value=${String(t)}
      aria-label="Token"
      aria-valuetext=${$(s)}
      @input=${y=>g({view:{outputPosition:Number(O(y))}})}
    />
    <span>token ${t+1} of ${o+1}: ${b}</span>
  </div>`}function Lu(){let e=t=>{let n=`${H}${t}`,o=()=>{te(n),$n(".alignment")};return u`<button aria-pressed=${l.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return u`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${k("flow","through all layers")}:</span>
    ${me.map(e)}
  </p>`}function ki(){let{sentence:e,result:t,flow:n}=l.inspection;if(!t||!e)return h;let{storedPage:o}=l.server,{lens:s,target:r,token_log_probs:i}=t,a=s.length>0,c=Math.max(0,Math.min(l.view.outputPosition,e.tokens.length-1)),p=r===null&&i.length>0,d=e.tokens[p?c+1:c]?.token,m=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&l.view.head.startsWith(H);return u`<section class="panel layers ${I()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${a?Cu(e,s):h}
    </div>
    ${Hu(e,c,p)}
    ${ii(c,d)??(a?Ou(s,c,d):u`<p class="hint">${m}</p>`)}
    ${o?h:Lu()}
    ${f?u`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:h}
  </section>`}var No=300,ft=120,gt=17,Ai=6,Sn=14,Iu=3*Sn+4,Nu=2*Sn+4,vi=12;function Io(e){let t=[...l.inspection.result.weights.keys()];return new Set(t.filter(n=>n.startsWith(`${e}.`)).map(E)).size}function Wu(){let e=l.inspection.result.target!==null,t=(o,s)=>{let r=s.filter(([a])=>Io(a)),i=Math.max(0,...r.map(([a])=>Io(a)));return Array.from({length:i},(a,c)=>[...r.map(([p,d])=>({site:`${p}.${c}`,label:d})),{site:`${o}.${c}.feed_forward`,label:"feed-forward"}])};if(!e){let o=Io("decoder")?"decoder":"encoder";return[{name:o,x:(No-ft)/2,layers:t(o,[[o,"reads the text"]])}]}let n=t("decoder",[["decoder","reads what is written"],["cross","reads the text"]]);return[{name:"encoder",x:2,layers:t("encoder",[["encoder","reads itself"]])},{name:"decoder",x:No-ft-2,layers:n}]}function Wo(e){let{head:t}=l.view;return l.inspection.result.weights.has(t)?E(t)===e:t.startsWith(H)?!1:t.startsWith(q)?t===`${q}${e}`:e.startsWith(`${we().kind}.`)&&e.split(".").length===2}var Ti=e=>e.length>vi?`${[...e].slice(0,vi-1).join("")}…`:e;function Du({x:e,layers:t},n){let o=n;return t.flatMap(s=>{let r=s.map(i=>({...i,x:e,y:o-=gt}));return o-=Ai,r})}function Si({site:e,label:t,x:n,y:o}){return W`<g class=${Wo(e)?"band here":"band"} data-site=${e}>
    <rect x=${n} y=${o} width=${ft} height=${gt-2} rx="3"></rect>
    <text x=${n+ft/2} y=${o+gt/2-1} dy="0.35em">${t}</text>
  </g>`}var Ri=(e,t,n)=>e.map((o,s)=>W`<text class="side" x=${t+ft/2} y=${n+(s+.5)*Sn} dy="0.35em">${o}</text>`);function Fu(e,{site:t,x:n,y:o}){let[s,r]=[e.x+ft,e.y+gt/2],i=(s+n)/2,a=o+gt/2-1;return W`<path class=${Wo(t)?"reads here":"reads"}
    d="M ${s} ${r} C ${i} ${r}, ${i} ${a}, ${n-6} ${a}"></path>
    <path class=${Wo(t)?"tip here":"tip"} d="M ${n-7} ${a-4} l 7 4 l -7 4 Z"></path>`}function Bu(e){let t=Wu(),n=t.map(({layers:d})=>d.flat().length*gt+Math.max(0,d.length-1)*Ai),o=Iu+Math.max(...n),[s,r]=t.map(d=>Du(d,o)),i=pe(e,e.row),a=s.at(-1),c=({name:d,x:m},f)=>{let b=d==="decoder"?i:null,w=r!==void 0&&d==="decoder"?"what is written":"the text",T=b?.read==null?[w]:["has read up to",Ti($(b.read))],R=b?[d,"about to write",Ti($(b.writes??"…"))]:[d],_=f.at(-1)?.y??o;return W`${Ri(T,m,o+2)} ${Ri(R,m,_-4-R.length*Sn)}`},p=r?.filter(d=>d.site.startsWith("cross."))??[];return u`<svg
    id="map"
    viewBox="0 0 ${No} ${o+Nu}"
    role="img"
    aria-label="The stacks of the model. Lit: ${l.view.head}"
  >
    ${s.map(Si)} ${r?.map(Si)} ${a?p.map(d=>Fu(a,d)):h}
    ${t.map((d,m)=>c(d,m?r:s))}
  </svg>`}function qu(e){let t=pe(e,e.row),n=Number(E(l.view.head).split(".").at(-1)),o=n?`layer ${n-1}`:"the embeddings",s=t?u`the state of the place that is ${ne(t)}`:u`the state of <bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,r="Its keys and values come from the encoder: its last layer has a state for each token of the text.",i=`Its keys and values come from the same layer: the states of ${e.kind==="decoder"?"all tokens that were read up to there":"all tokens"}, as they are after ${o}.`;return u`<p id="origins">
    The query of this head comes from ${s}. ${e.kind==="cross"?r:i}
  </p>`}function Pi(){let{result:e}=l.inspection,t=we();if(!e||!t||e.arch==="rnn")return h;let n=u`<p id="origins">
    What is shown now is no head: it goes through all layers, from the text to what is written.
  </p>`,o=e.weights.has(l.view.head);return u`<section class="panel map ${I()?"stale":""}" aria-labelledby="map-title">
    <div class="head"><h2 id="map-title">Where it stands</h2></div>
    ${Bu(t)} ${o?qu(t):t.kind==="flow"?n:h}
  </section>`}var Ei=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function ju({trace:e}){let t=Ei(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,a)=>{let{fate:c,token:p,id:d}=i,m=i.parent===null?t:n[i.parent];if(!m||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?m.path:[...m.path,p],y=f?m.ids:[...m.ids,d],w={...Ei(),id:`${o}.${a}`,step:o+1,token:p,candidate:i,path:b,ids:y};return m.children.push(w),w})}return t}function Do(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(a=>Do(a,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var Ct=null;function Mi(e,t){if(Ct?.trace===e&&Ct.ids===String(t))return Ct;let n=ju(e),o=e.trace.length,s=Do(n,t,o);s||Do(n,e.sentences[0]?.ids??[],o);let r=[],i=0,a=(p,d,m)=>{let f={node:p,parent:d,x:8+84*m,y:32*(i+1)};r.push(f),p.children.length||(i+=1);let b=[...p.children].sort((y,w)=>Number(w.isOnBestPath)-Number(y.isOnBestPath));for(let y of b)a(y,f,m+1)};a(n,null,0);let c=Math.max(...r.map(p=>p.x))+84;return Ct={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},Ct}function _i({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Oi({nodes:e},t,n){let o=e.filter(a=>a.x===t.x).sort((a,c)=>a.y-c.y),[s]=e.filter(a=>a.parent===t).sort((a,c)=>a.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var Ci=9,Vu={active:"went on",finished:"ended",dropped:"was dropped"};function Uu(e){let t=[...$(e)];return t.length>Ci?`${t.slice(0,Ci-1).join("")}…`:t.join("")}function Hi({path:e,ids:t}){e.length&&(F(),ut({text:z(e),ids:t}))}async function Gu({path:e,ids:t}){await Ot({text:z(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function Ku({node:e}){let{fate:t,score:n}=e.candidate,o=z(e.path),s=String(e.ids)===String(x()?.ids),r=u`<button id="open" @click=${()=>Hi(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void Gu(e)}>Compare with the chosen one</button>`;return u`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${Vu[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:h}
  </p>`}function Xu(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Oi(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var Li=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function zu(e){return W`<path class="branch ${Li(e)}" d=${_i(e)}></path>`}function Ju(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:a}=o.candidate;return W`<g class="node ${Li(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===l.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${a.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Hi(o)}
      @keydown=${c=>Xu(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${Uu(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${a.toFixed(2)}</text>
    <title>${z(o.path)} (${a.toFixed(3)})</title></g>`}function Yu(e,t){let n=e.nodes.slice(1),o=t??n[0];return u`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(zu)} ${n.map(s=>Ju(e,s,s===o))}
    </svg>
  </div>`}function Zu(e,t,n){if(t)return u`<p class="hint">This is the search for another translation.</p>`;if(n)return h;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return u`<p class="hint" id="unsearched">${o}</p>`}function Qu(e,t,n){let o=Mi(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===l.search.candidate),r=u`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return u`${Yu(o,s)} ${s?Ku(s):h}
    ${Zu(t,n,o.isFound)} ${t.prefix?r:h}
    <p class="hint">
      From left to right, a step for each token; below each token is its score, the log-probability of all up to there.
      The top row is <span class="sign best">${o.isFound?"the chosen hypothesis":"the best hypothesis"}</span>.
      Others <span class="sign dropped">were dropped</span> (of each step, the best two are drawn) or
      <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to compare it.
    </p>`}function ep(e){return M("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:a,fate:c},p)=>[o+1,p,s,r,i,a,c]))],()=>e)}function Ii(){let e=x(),{trace:t}=l.search;if(!l.inspection.result||!e||!S())return h;let n=t!==null&&t.requestKey!==Qe(e),o=u`<p class="hint">
    Beam search keeps the ${l.request.beamSize} best beginnings at each step. This draws them, and the best that it
    dropped.
  </p>`;return u`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${k("search","Search")}</h2>
      <button id="search" @click=${()=>void fe()}>${t?"Search again":"Show the search"}</button>
      ${t?ep(t):h}
    </div>
    ${t?Qu(t,e,n):o}
  </section>`}function Ni(){let e=v()?.snapshots??[];if(!e.length||!S()||!x()?.isDone)return h;let{snapshot:t,result:n}=l.inspection,o=t===null?e.length:e.indexOf(t),s=a=>{let c=e[Number(O(a))];c===void 0?B():nn(c)},r=t===null?"the model itself":u`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=u`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return u`<section class="panel snapshots ${I()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${k("snapshot","While it was trained")}</h2>
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${e.length}
        step="1"
        .value=${String(o)}
        aria-label="Step of training"
        aria-valuetext=${t===null?"the model itself":`step ${t}`}
        @input=${s}
      />
      <span>${r}</span>
    </div>
    ${t!==null&&n?.written!==void 0?i:h}
    <p class="hint">The panels above show what the model looked at then, while the same translation was written.</p>
  </section>`}function Wi(){let e=l.inspection.result,t=x(),{note:n,says:o}=l.server.storedPage;return u`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${M("text",["#text",".stored .output[data-sentence]"],mt,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?u`<p dir="auto" id="says">${o}</p>`:h} ${dt(t,0)}
    ${e.token_log_probs.length?ht():h}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?u`<p class="hint" id="note">${n}</p>`:h}
  </section>`}function Di(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function tp(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function Rn(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,a=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...nt(),source:t,text:n??t,isDone:!0,tokens:(a?r.slice(0,-1):r).map((p,d)=>({token:p,log_prob:s[d-c]??null,alternatives:[]}))}}async function np({packed:e,bytes:t,parts:n}){let o=await tp(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,a=0;for(let{heads:c,rows:p,keys:d}of n)for(let m of c){let f=a+p*d;i.set(m,{rows:p,keys:d,values:s.subarray(a,f),scale:r-1,forbidden:r}),a=f}return i}async function Fi(e){let t=await np(e),n={...e.inspection,request:{},weights:t},o=Rn(n),{text:s}=n;en(),Ee({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=l.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var Bi=[20,50,100,200];async function op(e,t,n){let o={model:v().name,prompt:e,...t,logprobs:je,echo:!0},{choices:s}=await C("v1/completions",o,n),{text:r,logprobs:i}=s[0];if(!i)throw new Error("The server must send the log-probabilities that were asked for.");let a=i.tokens.map((c,p)=>({token:c.replaceAll(" ","▁"),log_prob:i.token_logprobs[p]??null,alternatives:Object.entries(i.top_logprobs[p]??{}).sort((d,m)=>m[1]-d[1])}));return{text:r,ids:i.token_ids,tokens:a}}async function sp(e,t){let{name:n,max_tokens:o}=v(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await C("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function Fo(e=null){let{text:t}=l.request,n=e?.prefix??t,o=e&&(x()?.original??x()??null);await P("translate","Writing",async s=>{let{name:r,max_tokens:i}=v(),{temperature:a,seed:c}=l.request,p=Math.min(l.request.maxTokens,await sp(n,s));if(p<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let d={max_tokens:p,temperature:a,seed:c},{text:m,tokens:f,ids:b}=await op(n,d,s),y=b.slice(0,i??b.length),w=await Ke({model:r,text:m,ids:y},s),T=Rn(w).tokens,R={...nt(),source:n,text:m,ids:y,decoding:d,original:o,edit:e,isDone:!0,tokens:T.map((ke,bt)=>({...ke,alternatives:f[bt]?.alternatives??[]}))},_=Math.max(0,Math.min(e?.position??0,T.length-1));g({output:{sentences:[R],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:_,hoveredToken:null},search:{trace:null}}),Rt(w,R)}),l.heads.disabled.length&&!D()&&await Q()}async function Bo(e,t){let n=x().tokens.slice(0,e),o=z([...n.map(s=>s.token).filter(s=>!ot(s)),t]);F(),await xn(()=>Fo({kind:"prefix",position:e,token:t,prefix:o}))}async function rp(){let{text:e}=l.request;await P("translate","Reading",async t=>{let n=await Ke({model:v().name,text:e},t),o=Rn(n),s=n.predicted?.length?await C(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),Rt(n,o)}),l.heads.disabled.length&&!D()&&await Q()}async function An(){Ze(),F(),await Ht()}async function Ht(){if(S())return await ai();let e=ee(),{outputPosition:t}=l.view,n=v()?.arch==="decoder";await(n?Fo():rp());for(let{edit:o}of e?.edits??[])ee()===e&&o.kind==="prefix"&&n&&await Fo(o);if(e?.ranksHeads&&ee()===e&&await Je(),e&&ee()===e){Ze();let o=(x()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function Pn(){let[e]=v()?.examples??[];e&&!l.request.text&&g({request:{text:e},output:{isExample:!0}})}function qi(e){let t=v();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...l.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),Pn(),qo(t),l.request.text.trim()&&An()}function qo(e){let t=v(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==S()||!l.request.text.trim())&&g(...Vt)}var En=[0,.5,.8,1,1.3],ip=/^und-und(-x-|$)/;function Mn(){let{modelName:e}=l.request,{models:t}=l.server;if(t.length<2)return u`<span class="hint">${ip.test(e)?h:e}</span>`;let n=o=>u`<option value=${o} ?selected=${o===e}>${o}</option>`;return u`<select id="model" aria-label="Model" @change=${o=>qi(O(o))}>
    ${t.map(o=>n(Fe(o)))}
  </select>`}function xe(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,p)=>c-p),a=c=>u`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return u`<select id=${e} aria-label=${s} @change=${c=>o(Number(O(c)))}>
    ${i.map(a)}
  </select>`}var _n=()=>l.status.busy.translate?u`<button @click=${()=>Oe("translate")}>Stop</button>`:h;var ap=[0,1,2,5,10,50],lp=1,jo=e=>g({trial:{sampling:{...l.trial.sampling,...e}}}),ji=e=>`${(100*e).toFixed(lp)} %`;function Vi(e,t,n,o){let s=r=>{let i=Number(O(r));jo(e==="next-temperature"?{temperature:i}:{topP:i})};return u`<label
    >${t}
    <input
      id=${e}
      type="range"
      min=${e==="next-temperature"?0:.05}
      max=${o}
      step="0.05"
      .value=${String(n)}
      aria-valuetext=${n.toFixed(2)}
      @input=${s}
    />
    <span class="number">${n.toFixed(2)}</span></label
  >`}function cp({tokens:e,num_others:t,others:n,others_drawn:o}){let s=(i,a,c)=>u`<tr>
      <td>${i}</td>
      <td class="number">${ji(a)}</td>
      <td class="number">${ji(c)}</td>
      <td class="fill">
        <span class="track"><span ${A({width:`${100*c}%`})}></span></span>
      </td>
    </tr>`,r=u`<span class="hint">${t.toLocaleString("en")} others</span>`;return u`<table id="next">
    <thead>
      <tr>
        <th>token</th>
        <th>the model's</th>
        <th>drawn</th>
        <th><span class="unseen">drawn, as a bar</span></th>
      </tr>
    </thead>
    <tbody>
      ${e.map(({token:i,prob:a,drawn:c})=>s(u`<bdi>${$(i)}</bdi>`,a,c))}
      ${t?s(r,n,o):h}
    </tbody>
  </table>`}function up(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,{beamSize:s}=l.request,[r]=e.tokens,i=u`A ${k("beam-search",`beam of ${s}`)} tries no more than the first ${s} after this
  beginning, and goes on with the best of all its beginnings.`,a=e.num_drawable.toLocaleString("en");return u`<p>
      Greedy search takes <bdi class="strong">${$(r?.token??"")}</bdi>.
      ${S()&&s>1?i:h} Sampling draws one of
      <span class="strong number" id="drawable">${a}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${Vi("next-temperature","temperature",t,2)}
      <label
        >top k
        ${xe("next-top-k",ap,n,c=>jo({topK:c}),"Top k",c=>c||"all")}</label
      >
      ${Vi("next-top-p","top p",o,1)}
    </div>
    ${cp(e)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`}var pp=()=>S()?l.view.outputPosition:l.view.outputPosition-1;function On(){let{sentence:e,result:t,next:n}=l.inspection,o=pp();if(!Y()||!t||!e||e!==x()||o<0)return h;let{isOpen:s}=l.trial.sampling,r=s?Ls(o):"",i=s&&n?.cell!==r;return u`<details
    id="next-token"
    ?open=${s}
    @toggle=${a=>jo({isOpen:a.target.open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${i?"stale":""}>${n&&s?up(n.result):h}</div>
  </details>`}var Ui=.6,de=()=>v()?.arch==="decoder",dp=({label:e,prob:t})=>u`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${A({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function hp(){let e=l.inspection.result?.predicted,{attribution:t}=l.output;if(!e?.length)return h;let n=v()?.task==="classify"?"the likeliest class":"the chosen token",o=u`<p class="legend">
      <span>${k("moved","moved it")} little ${J("heat",Ui)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return u`<div id="predicted" role="list">${e.map(dp)}</div> ${t?o:h}`}function mp(){let e=x();if(!e||!l.inspection.result)return h;let{outputPosition:t}=l.view,n=l.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let a=o?.[i]??0;return u`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${a.toFixed(3)}
      ${A({background:o?oe("heat",Ui*a):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${$(r)}</button
    >`};return u`<p class="output" id="moved" dir=${be(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function fp(){let{text:e,maxTokens:t,temperature:n}=l.request,o=xe("length",Bi,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=xe("temperature",En,n,i=>g({request:{temperature:i}}),"Temperature"),r=u`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return u`<div class="controls">
    <button class="primary" @click=${()=>void An()} ?disabled=${!e.trim()&&!de()}
      >${de()?"Continue":"Read"}</button
    >
    ${_n()} ${de()?r:h}
  </div>`}function gp(e){let t=["#output","#doubts",".alternatives"];if(de())return M("continuation",t,mt,()=>l.output.sentences);let n=l.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return M("predicted",t,o,()=>({predicted:l.inspection.result?.predicted,tokens:s,moved:l.output.attribution?.shares}))}function bp(e){return de()?e?dt(e,0):u`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:u`${hp()} ${mp()}`}function Gi(){let e=x(),t=de()&&e!==void 0,n=!!l.status.busy.translate,o=s=>{wn(s)&&An()};return u`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${Mn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${de()?"Text to continue":"Text to read"}
          placeholder=${de()?"Write how it begins.":"Write or paste a text."}
          .value=${l.request.text}
          @input=${s=>g({request:{text:O(s)}})}
          @keydown=${o}
        ></textarea>
        ${fp()}
      </div>
      <div>
        <div class="head">
          <h2>${de()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&l.inspection.result?gp(e):h}
        </div>
        <div class=${j()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${bp(e)}</div>
          ${t?u`${ht()} ${Tn(Bo)} ${On()}`:h}
        </div>
        ${t?vn(Bo):h}
      </div>
    </div>
  </section>`}var Ki=async()=>{l.heads.disabled.length&&await le([])},Cn=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:ae(),showsComputation:!1}}),await Ki()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await te(ae())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await $p(()=>l.inspection.lookup!==null&&!St("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:ae()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>le([ae()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(x()?.tokens.length??1)-1)}}),await Ki()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:fe,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],yp=5e3,wp=20;async function $p(e){let t=performance.now()+yp;for(;!e()&&!l.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,wp))}function xp(){let{disabled:e,undoStack:t,sortBy:n}=l.heads,{sentences:o,sourceText:s}=l.output;return{view:{...l.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...l.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var Uo=null;async function Xi(){let e=v()?.examples?.[0],t=l.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(x()?.isDone&&l.output.sourceText!==""&&!j())||!l.inspection.result||D())&&(t||(F(),g({request:{text:e}})),await We(),!x()?.isDone)||(Uo=xp(),await Go(0))}async function Vo(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=Uo,r=o.sourceText===l.output.sourceText,i=l.inspection.sentence===(o.sentences[e.sentenceIndex]??null);Uo=null;let{isPlaying:a}=l.view,{showsComputation:c,groupsWords:p}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:a,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:p}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await B():await Q(),r&&e.head.startsWith(H)&&await te(e.head),Xe(()=>scrollTo({top:s}))}async function Go(e){let t=Cn[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),Xe(()=>{if(l.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),vp(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var kp=12;function vp(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(kp,(s-o)/2)),behavior:Mo()})}function zi(){let e=l.view.tourStop,t=e===null?void 0:Cn[e];if(e===null||!t||!S())return h;let n=e===Cn.length-1,o=r=>{r.key==="Escape"&&Vo()},s=u`<button id="tour-back" @click=${()=>void Go(e-1)}>Back</button>`;return u`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${Cn.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void Vo()}>End</button>
      <span>
        ${e?s:h}
        <button id="tour-next" class="primary" @click=${()=>void(n?Vo():Go(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function Tp(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var Ko="Copied.";async function Ji(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=Tp(e)}$s(t?Ko:"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var Yi=50,Sp=400;async function Zi(e){await P("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let p=0;p<s.length;p+=Yi){let d=s.slice(p,p+Yi),m={...U(),...Ve(),texts:d,format:o?"html":"text"},{translations:f}=await C("translate",m,t);f.forEach((b,y)=>{let w=p+y+1;if("error"in b)throw new G(Sp,`Line ${w} of ${e.name}: ${b.error.message}`);r.push(b.text)}),Jt("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,a]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${v()?.target??"translated"}${a??".txt"}`;Le(c,r.join(`
`),o?"text/html":"text/plain")})}var Rp=300,Ap=[1,2,3,5,8,12],ta=/<\/?[a-z][^>]*>/i,Qi=0;function Pp(e){let t=O(e);g({request:{text:t,isHtml:l.request.isHtml&&ta.test(t)},output:{isExample:!1}}),clearTimeout(Qi),Qi=window.setTimeout(()=>{tt(),l.request.translatesWhileTyping&&We()},Rp)}function Hn(e){g({request:e}),We()}function na(){F(),We()}function Ep(e,t){let{text:n,score:o}=e,s=u`<span class="number">${o.toFixed(3)}</span>`;if(!n)return u`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=l.output,i=r!==null&&on(e,r),a=()=>{F(),ut(e)},c=u`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void Ot(e)}
    >compare</button
  >`;return u`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${a}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?h:c}
  </li>`}var ea=!1;function Mp(){let e=x();if(!e?.isDone)return h;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(a=>a.text===r)===i);if(n.length<2)return h;let o=n.length-1;return u`<details class="nbest" ?open=${ea} @toggle=${r=>{ea=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${k("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>Ep(r,e))}
    </ol>
  </details>`}function _p(){let e=x(),{compared:t}=l.output;if(!e?.isDone||!t)return h;let n=({tokens:r})=>r.reduce((i,a)=>i+(a.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},a)=>u`${Lo(r,a)}<span
          class="token ${st(o,a)}"
          dir="auto"
          title=${pt(i)}
          ${A(Ho(i))}
          >${$(r)}</span
        >`);return u`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${be(t.text)}>${s}</p>
    <p dir="auto">${He(t.text,e.text)}</p>
  </div>`}function Op(){return u`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&Zi(o),n.value=""}}
  /></label>`}function Cp(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=l.tokenCounts;if(e===null)return h;let s=o===1?"1 sentence is":`${o} sentences are`;return u`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${k("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function Hp(){let{text:e,temperature:t,seed:n,isHtml:o}=l.request,s=u`<button id="again" @click=${()=>Hn({seed:n+1})}>Draw again</button>`,r=u`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>Hn({isHtml:ce(i)})}
    />
    as HTML</label
  >`;return u`${t&&e.trim()?s:h} ${ta.test(e)?r:h}`}function Lp(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=l.request,s=xe("beam",Ap,n,i=>Hn({beamSize:i,temperature:0}),"Beam"),r=xe("temperature",En,o,i=>Hn({temperature:i}),"Sampling",i=>i||"off");return u`<div class="controls">
    <button class="primary" @click=${na} ?disabled=${!e.trim()}>Translate</button>
    ${_n()} ${Hp()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:ce(i)}})}
          />
          while typing</label
        >
        <span class="together">${k("beam","Beam")} ${s}</span>
        <span class="together">${k("sampling","Sampling")} ${r}</span>
        ${Op()} ${Cp()}
      </div>
    </details>
  </div>`}function Ip(){let e=v()?.examples??[];if(!(l.output.isExample||!l.request.text)||!e.length)return h;let n=o=>{F(),g({request:{text:o},output:{isExample:!1}}),tt(),We()};return u`<p class="hint">
    ${l.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===l.request.text?h:u`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function Np(){let{html:e,sentences:t}=l.output;return e?u`<pre class="html">${e}</pre>`:t.length?t.map(dt):u`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function Wp(){let{html:e,sentences:t}=l.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:a})=>`${i??""}${a}`).join(""),s=()=>M("translation",["#output","#doubts",".alternatives"],mt,()=>t),r=u`<button id="copy" @click=${()=>void Ji(o())}
    >${l.status.notice===Ko?"Copied":"Copy"}</button
  >`;return u`${n?r:h} ${t.some(i=>i.isDone)?s():h}`}function Dp(){let{sentences:e}=l.output,t=!!l.status.busy.translate,n=j()||t&&e.every(s=>s.isDone),o=u`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return u`<div>
    <div class="head">
      <h2>Translation</h2>
      ${Wp()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${Np()}</div>
      ${j()&&!t?o:h} ${e.length?ht():h}
      ${Tn(Oo)} ${On()} ${Mp()} ${_p()}
    </div>
    ${vn(Oo)}
  </div>`}function oa(){let e=t=>{wn(t)&&na()};return u`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${Mn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="2"
          class=${l.output.isExample?"example":""}
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${l.request.text}
          @focus=${t=>{l.output.isExample&&t.target.select()}}
          @input=${Pp}
          @keydown=${e}
        ></textarea>
        ${Lp()} ${Ip()}
      </div>
      ${Dp()}
    </div>
  </section>`}var ia="regard-theme";function Fp(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(ia,o)}catch{}g({})}function Bp(){return u`<form class="key" @submit=${t=>{t.preventDefault(),ms(document.querySelector("#key").value),Xo()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function qp(){let e=()=>u`${Hr()} ${Ir()}
      <div class="column">${si()} ${pr()}</div>
      <div class="stacked">${Pi()} ${Vr()}</div> ${ki()} ${Kr()}
      ${zr()} ${Ni()}`;return l.server.storedPage?u`${Wi()}${e()}`:l.server.models.length?S()?u`${oa()}${e()}${Ii()}`:u`${Gi()}${l.inspection.result?e():h}`:h}var jp=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function Vp(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return u`<nav class="skips" aria-label="Go to a part of the page">
    ${jp.map(([t,n])=>u`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function Up(){return l.server.storedPage?"What the heads look at":S()||!l.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function Gp(){let e=Object.values(l.status.busy).at(-1),t=u`<button id="tour" @click=${()=>void Xi()}>Explain</button>`;return u`<header>
    <h1>Regard</h1>
    <p class="hint">${Up()}</p>
    <span class="said" role="status">${l.status.notice}</span
    ><span class="status" role="status">${e?u`<span class="spinner"></span>${e} …`:h}</span>
    ${S()?t:h} ${l.server.storedPage?h:u`<a href="docs">API</a>`}
    <button class="theme" @click=${Fp} aria-label="Light or dark">◐</button>
  </header>`}function Kp(){let{error:e,needsApiKey:t}=l.status;if(!e)return h;let n=u`<button @click=${()=>void Zn()}>Try again</button>`;return u`<p class="error" role="alert">${e} ${t?h:n}</p>`}function Xp(){return u`${Vp()} ${Gp()} ${Kp()}
    <main>${l.status.needsApiKey?Bp():h} ${qp()}</main>
    ${zi()}`}function Lt(){As();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(l.status.busy).length>0),ls(Xp(),e)}async function Xo(){await Ws(),aa(),Pn(),l.request.text&&l.server.models.length&&(tt(),await Ht())}async function zp(){if(!l.server.models.length||l.status.needsApiKey)return await Xo();(j()||!x()||l.output.sentences.some(t=>!t.isDone))&&!(l.output.html&&!j())?l.request.text.trim()&&(tt(),await Ht()):D()||!l.inspection.result?await B():l.heads.disabled.length&&l.heads.ablatedSentence!==l.inspection.sentence?await Q():g({})}function Jp(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function Yp(){try{return localStorage.getItem(ia)}catch{return null}}var aa=()=>{document.body.dataset.ready="yes"};function Zp(){let e=v(),t=oo();g(t,ee()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),Pn(),qo(e),Ht()}var sa=Yp();sa&&(document.documentElement.dataset.theme=sa);Gn(Lt);Gn(Ts);addEventListener("resize",Lt);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Lt);Object.assign(globalThis,{regard:{state:l,matrixLayout:Or,unmatchedWords:Ps}});var ra=Di();ra?(Jp(),Fi(ra).then(()=>{Lt(),aa()})):(en(),ys(zp),addEventListener("hashchange",Zp),Lt(),Xo());})();
