"use strict";(()=>{var no=globalThis,Xt=no.trustedTypes,ys=Xt?Xt.createPolicy("lit-html",{createHTML:e=>e}):void 0,oo="$lit$",ue=`lit$${Math.random().toFixed(9).slice(2)}$`,so="?"+ue,Xa=`<${so}>`,Le=document,At=()=>Le.createComment(""),Pt=e=>e===null||typeof e!="object"&&typeof e!="function",ro=Array.isArray,Ts=e=>ro(e)||typeof e?.[Symbol.iterator]=="function",to=`[ 	
\f\r]`,Rt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,ws=/-->/g,$s=/>/g,Oe=RegExp(`>|${to}(?:([^\\s"'>=/]+)(${to}*=${to}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),xs=/'/g,ks=/"/g,Ss=/^(?:script|style|textarea|title)$/i,io=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),u=io(1),L=io(2),Kd=io(3),Et=Symbol.for("lit-noChange"),h=Symbol.for("lit-nothing"),vs=new WeakMap,Ce=Le.createTreeWalker(Le,129);function Rs(e,t){if(!ro(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return ys!==void 0?ys.createHTML(t):t}var As=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=Rt;for(let a=0;a<n;a++){let c=e[a],p,d,m=-1,f=0;for(;f<c.length&&(i.lastIndex=f,d=i.exec(c),d!==null);)f=i.lastIndex,i===Rt?d[1]==="!--"?i=ws:d[1]!==void 0?i=$s:d[2]!==void 0?(Ss.test(d[2])&&(s=RegExp("</"+d[2],"g")),i=Oe):d[3]!==void 0&&(i=Oe):i===Oe?d[0]===">"?(i=s??Rt,m=-1):d[1]===void 0?m=-2:(m=i.lastIndex-d[2].length,p=d[1],i=d[3]===void 0?Oe:d[3]==='"'?ks:xs):i===ks||i===xs?i=Oe:i===ws||i===$s?i=Rt:(i=Oe,s=void 0);let y=i===Oe&&e[a+1].startsWith("/>")?" ":"";r+=i===Rt?c+Xa:m>=0?(o.push(p),c.slice(0,m)+oo+c.slice(m)+ue+y):c+ue+(m===-2?a:y)}return[Rs(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},Mt=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,a=t.length-1,c=this.parts,[p,d]=As(t,n);if(this.el=e.createElement(p,o),Ce.currentNode=this.el.content,n===2||n===3){let m=this.el.content.firstChild;m.replaceWith(...m.childNodes)}for(;(s=Ce.nextNode())!==null&&c.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let m of s.getAttributeNames())if(m.endsWith(oo)){let f=d[i++],y=s.getAttribute(m).split(ue),b=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:b[2],strings:y,ctor:b[1]==="."?Jt:b[1]==="?"?Yt:b[1]==="@"?Zt:Ne}),s.removeAttribute(m)}else m.startsWith(ue)&&(c.push({type:6,index:r}),s.removeAttribute(m));if(Ss.test(s.tagName)){let m=s.textContent.split(ue),f=m.length-1;if(f>0){s.textContent=Xt?Xt.emptyScript:"";for(let y=0;y<f;y++)s.append(m[y],At()),Ce.nextNode(),c.push({type:2,index:++r});s.append(m[f],At())}}}else if(s.nodeType===8)if(s.data===so)c.push({type:2,index:r});else{let m=-1;for(;(m=s.data.indexOf(ue,m+1))!==-1;)c.push({type:7,index:r}),m+=ue.length-1}r++}}static createElement(t,n){let o=Le.createElement("template");return o.innerHTML=t,o}};function He(e,t,n=e,o){if(t===Et)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=Pt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=He(e,s._$AS(e,t.values),s,o)),t}var zt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??Le).importNode(n,!0);Ce.currentNode=s;let r=Ce.nextNode(),i=0,a=0,c=o[0];for(;c!==void 0;){if(i===c.index){let p;c.type===2?p=new Xe(r,r.nextSibling,this,t):c.type===1?p=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(p=new Qt(r,this,t)),this._$AV.push(p),c=o[++a]}i!==c?.index&&(r=Ce.nextNode(),i++)}return Ce.currentNode=Le,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},Xe=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=h,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=He(this,t,n),Pt(t)?t===h||t==null||t===""?(this._$AH!==h&&this._$AR(),this._$AH=h):t!==this._$AH&&t!==Et&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Ts(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==h&&Pt(this._$AH)?this._$AA.nextSibling.data=t:this.T(Le.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=Mt.createElement(Rs(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new zt(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=vs.get(t.strings);return n===void 0&&vs.set(t.strings,n=new Mt(t)),n}k(t){ro(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(At()),this.O(At()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},Ne=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=h,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=h}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=He(this,t,n,0),i=!Pt(t)||t!==this._$AH&&t!==Et,i&&(this._$AH=t);else{let a=t,c,p;for(t=r[0],c=0;c<r.length-1;c++)p=He(this,a[o+c],n,c),p===Et&&(p=this._$AH[c]),i||=!Pt(p)||p!==this._$AH[c],p===h?t=h:t!==h&&(t+=(p??"")+r[c+1]),this._$AH[c]=p}i&&!s&&this.j(t)}j(t){t===h?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},Jt=class extends Ne{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===h?void 0:t}},Yt=class extends Ne{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==h)}},Zt=class extends Ne{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=He(this,t,n,0)??h)===Et)return;let o=this._$AH,s=t===h&&o!==h||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==h&&(o===h||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Qt=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){He(this,t)}},Ps={M:oo,P:ue,A:so,C:1,L:As,R:zt,D:Ts,V:He,I:Xe,H:Ne,N:Yt,U:Zt,B:Jt,F:Qt},za=no.litHtmlPolyfillSupport;za?.(Mt,Xe),(no.litHtmlVersions??=[]).push("3.3.1");var Es=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new Xe(t.insertBefore(At(),r),r,void 0,n??{})}return s._$AI(e),s};var _t={temperature:1,isScaled:!0,isMasked:!0},en=({temperature:e,isScaled:t,isMasked:n})=>e===1&&t&&n;function ao({scores:e,bias:t,allowed:n,factor:o},{temperature:s,isScaled:r,isMasked:i}){let a=e.map((b,w)=>(r?b:b/o)+t[w]),c=a.map((b,w)=>w).filter(b=>n[b]||!i);c.sort((b,w)=>a[w]-a[b]);let p=a[c[0]]??0,d=a.map(()=>0);for(let b of c)d[b]=Math.exp((a[b]-p)/s);let m=d.reduce((b,w)=>b+w,0),f=d.map(b=>b/m),y=f.reduce((b,w)=>b-(w?w*Math.log(w):0),0);return{keys:c,scores:a,exponentials:d,highest:p,total:m,weights:f,entropy:y}}var Ms={result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,next:null,experiment:null,patching:null,snapshot:null},co=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,options:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},trial:{softmax:_t,sampling:{isOpen:!1,temperature:1,topK:0,topP:1},otherText:null,patched:null},inspection:{...Ms},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),l=co(),uo={output:{compared:null,attribution:null},inspection:Ms,heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},tn=[{output:{sentences:[],sourceText:"",html:"",options:null}},uo],_s=[],lo=!1;function po(e){_s.push(e)}function Ie(e){for(let[t,n]of Object.entries(e))Object.assign(l[t],n)}function g(...e){e.forEach(Ie),!lo&&(lo=!0,requestAnimationFrame(()=>{lo=!1;for(let t of _s)t()}))}var H="flow.",K="mean.",we=["rollout","gradient","integrated-gradients"],$e=e=>e.direction??e.name??"",T=()=>l.server.models.find(e=>$e(e)===l.request.modelName),k=()=>l.output.sentences[l.view.sentenceIndex],R=()=>!l.server.storedPage&&T()?.direction!==void 0,ee=()=>R()||!l.server.storedPage&&T()?.arch==="decoder";function te(){let e=T();return!l.server.storedPage&&l.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var F=()=>l.output.sourceText!==""&&l.output.sourceText!==l.request.text,I=()=>l.inspection.result!==null&&l.inspection.sentence!==(k()??null),W=()=>I()||F();function We(e=l.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!R())return t.slice(1);let n=l.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var ho=e=>e!=="encoder"||l.inspection.result?.target===null;var E=e=>e.split(".").slice(0,2).join("."),mo=()=>l.inspection.result?[...l.inspection.result.weights.keys()]:[],Os=(e,t)=>e[(t+e.length)%e.length];function ze(e){let t=mo(),n=Os(t,t.indexOf(l.view.head)+e);n&&g({view:{head:n}})}function Je(e){let t=[...new Set(mo().map(E))],n=Os(t,t.indexOf(E(l.view.head))+e),o=mo().find(s=>E(s)===n);o&&g({view:{head:o}})}function nn(){let e=l.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${K}${e}`,isOfModel:t}}function pe(){let e=nn();if(e?.isOfModel)return e.head;let t=l.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,a)=>a.confidence-i.confidence);return r?.head??"mean"}var Ja={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function on(e){let[t,n]=e.split(".");return`${l.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var fo=e=>`${on(E(e))}, head ${e.split(".")[2]} (${e})`;function sn(e){let n=e.startsWith("decoder.")&&l.inspection.result?.target!=null?"what is written":"the text",o=Ja[l.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${fo(e)}: reads ${n}${o?`, ${o}`:""}`}var Ye=5;function J(){let e=T();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Ze=()=>l.request.temperature?{method:"sample",temperature:l.request.temperature,seed:l.request.seed}:{beam_size:l.request.beamSize},Qe=e=>R()?{...J(),text:e.source,target_ids:e.ids}:{model:T().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},rn=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var G=class extends Error{constructor(n,o){super(o);this.status=n}},Ot=0,Ya=410,Cs="regard-key",Za=255;async function Ls(){try{return(await fetch("health")).ok}catch{return!1}}var Hs=e=>sessionStorage.setItem(Cs,e);function Qa(e){let t=sessionStorage.getItem(Cs);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function an(e,t,n){let o={method:t===void 0?"GET":"POST",headers:Qa(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new G(Ot,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new G(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function N(e,t,n){return await(await an(e,t,n)).json()}async function*Ns(e,t){let n=e.body.pipeThrough(new TextDecoderStream).getReader(),o="";for(;;){let{value:s,done:r}=await n.read().catch(a=>{throw t.aborted?a:new G(Ot,"The server went away while it was answering. Is it still running?")});if(r)return;let i=(o+s).split(`

`);o=i.pop()??"";for(let a of i){let[c,p]=a.split(`
`);yield{name:c.slice(7),data:JSON.parse(p.slice(6))}}}}async function*Is(e,t){let n=await an("stream",e,t);for await(let o of Ns(n,t))yield o}async function et(e,t,n,o=N){try{return await o(`inspect/${e.id}/${t}`,void 0,n)}catch(s){if(!(s instanceof G)||s.status!==Ya)throw s;return e.id=(await N("inspect",e.request,n)).id,await o(`inspect/${e.id}/${t}`,void 0,n)}}async function Ws(e,t,n,o){return await et(e,t,n,async s=>{for await(let r of Ns(await an(s,void 0,n),n)){let{name:i,data:a}=r;if(i==="error")throw new G(a.status,a.message);if(i==="done")return a;n.aborted||o(a.done,a.total)}throw new G(Ot,"The server went away while it was answering. Is it still running?")})}async function el(e,t,n){let o=await an(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,a]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((d,m)=>{let f=r.subarray(m*i*a,(m+1)*i*a);return[d,{rows:i,keys:a,values:f,scale:c,forbidden:Za}]})}async function tt(e,t){let n=T()?.arch!=="rnn",o=await N("inspect",{...e,lens:n},t),s=Object.keys(o.tokens),r=await Promise.all(s.map(i=>el(o.id,i,t)));return{...o,request:e,weights:new Map(r.flat())}}var tl=403,nl=2e3,ol=4e3,xe=new Map;async function P(e,t,n){xe.get(e)?.abort();let o=new AbortController;xe.set(e,o),e==="translate"&&rl(),t&&g({status:{busy:{...l.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||sl(s),!1}finally{xe.get(e)===o&&Ds(e)}}function nt(e,t){g({status:{busy:{...l.status.busy,[e]:t}}})}function sl(e){let t=e instanceof G?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===tl}}),t===Ot&&qs()}function rl(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function il(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function Ds(e){xe.delete(e),e==="translate"&&ot(()=>{xe.has(e)||il()}),g({status:{busy:Object.fromEntries(Object.entries(l.status.busy).filter(([t])=>t!==e))}})}function ot(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var go=0,Fs=()=>Promise.resolve();function Bs(e){Fs=e}function qs(){clearTimeout(go),go=window.setTimeout(()=>{Ls().then(e=>{e?bo():l.status.error&&qs()})},nl)}async function bo(){clearTimeout(go),g({status:{error:"",needsApiKey:!1}}),await Fs()}function Gs(e){g({status:{notice:e}}),setTimeout(()=>{l.status.notice===e&&g({status:{notice:""}})},ol)}var Ct=e=>xe.has(e);function js(){for(let e of[...xe.keys()])ke(e)}function ke(e){xe.get(e)?.abort(),Ds(e)}var al=50;async function st(e){let{disabled:t}=l.heads,n=e.every(o=>t.includes(o));await de(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function de(e){let{undoStack:t,disabled:n}=l.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-al)}}),await ne()}async function Vs(){let{undoStack:e}=l.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await ne()}async function ne(){let{sentence:e}=l.inspection;if(!l.heads.disabled.length)return ke("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!te()||I()||await P("ablate","Running without heads",async t=>{let n=R()?rn(e):{prompt:e.source,...e.decoding},o={...Qe(e),heads:l.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await N("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function rt(){let{result:e,sentence:t}=l.inspection;if(!t?.isDone||!e||I())return;let n=[...e.weights.keys()],o=[...new Set(n.map(E))],s=r=>`Taking each head away: ${r} of ${n.length}`;await P("rank",s(0),async r=>{let i={},a={};for(let c of o){let p=n.filter(m=>E(m)===c),d=await N("ablate",{...Qe(t),sweep:!0,heads:p},r);if(l.inspection.result!==e)return;i={...i,...d.worth},a={...a,...d.by_token},g({heads:{importance:i,importanceByToken:a}}),nt("rank",s(Object.keys(i).length))}g({heads:{sortBy:"worth"}})}),l.status.error&&l.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var un=null,j=()=>un;function ve(){un=null}var ll=()=>({edits:l.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:l.inspection.snapshot,compared:l.output.compared,tracesSearch:l.search.trace!==null&&l.search.trace.source===k()?.source,ranksHeads:l.heads.importance!==null}),cl=16,ul=1e3,pl=5,dl=1e9,ln=e=>e==="true",it=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},cn=it(0,dl),Us=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),hl=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),ml=e=>we.some(t=>e===`${H}${t}`),fl=e=>Us(e)||hl(e)||ml(e)?e:void 0,gl=e=>e.split(",").filter(Us),D=(e,t,n)=>({group:e,field:t,parse:n}),wo={direction:D("request","modelName",String),text:D("request","text",String),beam:D("request","beamSize",it(1,cl)),temperature:D("request","temperature",it(0,pl,!1)),seed:D("request","seed",it(0,Number.MAX_SAFE_INTEGER)),length:D("request","maxTokens",it(1,ul)),at:D("view","sentenceIndex",cn),step:D("view","outputPosition",cn),source:D("view","inputPosition",cn),key:D("view","keyPosition",cn),head:D("view","head",fl),share:D("view","rowShare",it(.1,1,!1)),words:D("view","groupsWords",ln),alone:D("view","hidesOtherRows",ln),isExplained:D("view","showsComputation",ln),isHtml:D("request","isHtml",ln),sortBy:D("heads","sortBy",String),off:D("heads","disabled",gl)},bl=["direction","text","beam","temperature","seed","length","at","off","isHtml"],$o=(e,{group:t,field:n})=>e[t][n]??null,Ks=co(),yl={temperature:"temperature",seed:"seed",length:"maxTokens"},pn=()=>F()&&!l.status.error?l.output.sourceText:l.request.text;function wl(e){if(e==="text")return pn();let t=yl[e];return t&&l.output.options?l.output.options[t]:$o(l,wo[e])}var $l=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function xl(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=un??ll();return[["edits",e.length?JSON.stringify(e.map($l)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var kl=e=>e==="text"||e==="direction"||e==="head"&&l.view.head===pe();function Xs(){let{storedPage:e}=l.server,t=new URLSearchParams;for(let[n,o]of Object.entries(wo)){let s=wl(n);e&&bl.includes(n)||s===null||s===$o(Ks,o)||String(s)===""||t.set(n,String(s))}if(!e)for(let[n,o]of xl())t.set(n,o);return t}function zs(){let e=Xs();return`#${l.output.isExample&&[...e.keys()].every(kl)?"":e}`}var Js=()=>`${location.href.split("#")[0]}#${Xs()}`,yo=e=>Number.isSafeInteger(e)&&e>=0,Ys=e=>Array.isArray(e)?e.filter(yo):[];function Zs(e){try{return JSON.parse(e??"null")}catch{return null}}function vl(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!yo(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:Ys(r)}}]:yo(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Tl(e){let t=Zs(e);return Array.isArray(t)?t.flatMap(vl):[]}function Sl(e){let t=Zs(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:Ys(t[1])}:e?{text:e,ids:[]}:null}function xo(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(wo)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??$o(Ks,s))}let n=Number(e.get("snapshot")??NaN);return un={edits:Tl(e.get("edits")),snapshot:n>=0?n:null,compared:Sl(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var dn=()=>Ie(xo());function Rl(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var ko="Copied.",hn="Link copied.";async function mn(e,t=ko){let n=!1;try{await navigator.clipboard.writeText(e),n=!0}catch{n=Rl(e)}Gs(n?t:`The browser does not allow copying here. ${t===hn?"Copy the address of the page.":"Select the text, and copy it with the keyboard."}`)}var vo=new Map,Qs=()=>vo.clear();function Y(e){let t=vo.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return vo.set(e,o),o}var ie=(e,t)=>`rgba(${Y(e).join(", ")}, ${t.toFixed(3)})`,X=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var Al=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,Pl=new RegExp(String.raw`\s+|${Al.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),El=4e6,De=e=>[...e.matchAll(Pl)].map(({0:t,index:n})=>({text:t,begin:n}));function fn(e,t){let n=d=>d.map(m=>m.text).filter(m=>m.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,a=0;for(;i<r&&o[i]===s[i];)i++;for(;a<r-i&&o.at(-1-a)===s.at(-1-a);)a++;let c=Ml(o.slice(i,o.length-a),s.slice(i,s.length-a)),p=(d,m,f)=>{let y=new Set(c.map(w=>w[m]+i)),b=-1;return d.map(w=>w.text.trim()!==""&&++b>=i&&b<f-a&&!y.has(b))};return[p(e,0,o.length),p(t,1,s.length)]}function Ml(e,t){let n=[],o=t.length+1;if(e.length*t.length>El)return n;let s=new Uint32Array((e.length+1)*o),r=(i,a)=>s[i*o+a];for(let i=e.length-1;i>=0;i--)for(let a=t.length-1;a>=0;a--){let c=e[i]===t[a];s[i*o+a]=c?r(i+1,a+1)+1:Math.max(r(i+1,a),r(i,a+1))}for(let i=0,a=0;i<e.length&&a<t.length;)e[i]===t[a]?n.push([i++,a++]):r(i+1,a)>=r(i,a+1)?i++:a++;return n}function er(e,t){let n=[De(e),De(t)],o=fn(...n),s=r=>n[r].filter((i,a)=>o[r][a]).map(i=>i.text);return[s(0),s(1)]}var _l=1500,Ol=8,Cl=60,Ll=20,Hl=["request","tokenCounts","output","view","trial","inspection","heads","search"],at=new Map,Nl=0,To=()=>`${performance.timeOrigin}/${Nl++}`,nr=()=>location.protocol!=="about:",So=()=>history.state?.entry,Te=So()??To(),Ht=!1,Nt=!0,Fe=null,Lt=null,gn=0;function V(){Ht=!0,Nt=!0}function or(){Nt=!0,g({})}var Ro=()=>!!l.status.busy.translate||F();function Il(e){Ro()||l.status.error||!l.output.sourceText?(clearTimeout(gn),Lt=null):Nt?(Fe=e,Nt=!1):e!==Fe&&e!==Lt&&(Lt=e,clearTimeout(gn),gn=window.setTimeout(()=>{Lt===e&&(Fe=e)},_l))}function Wl(){!(!Ro()&&!I()&&!Object.keys(l.status.busy).length)||l.status.error||j()||!l.output.sourceText||(at.delete(Te),at.set(Te,Object.fromEntries(Hl.map(t=>[t,{...l[t]}]))),at.size>Ol&&at.delete(at.keys().next().value))}var tr=(e,t)=>{let n=[...e];return n.length>t?`${n.slice(0,t-1).join("").trimEnd()}…`:e};function Dl(){let e=T(),t=[...e?[tr($e(e),Ll)]:[],"Regard"].join(" · "),[n=""]=pn().trim().split(`
`);return n?`${tr(n,Cl-t.length-3)} · ${t}`:"Regard"}function sr(){if(j()&&F())return;let e=pn(),t=zs();t===(location.hash||"#")||!nr()?Ro()||(Ht=!1):Ht||Fe!==null&&e!==Fe?(Te=To(),history.pushState({entry:Te},"",t),[Ht,Fe]=[!1,null]):history.replaceState({entry:Te},"",t),l.server.storedPage||(document.title=Dl()),Il(e),Wl()}function Ao(){So()===void 0&&nr()&&history.replaceState({entry:Te},"",location.href)}function rr(){clearTimeout(gn),[Ht,Nt,Fe,Lt]=[!1,!0,null,null],Te=So()??To(),Ao();let e=at.get(Te);if(!e)return!1;js(),ve();let{tourStop:t}=l.view;return g(e,{view:{tourStop:t,hoveredToken:null,isPlaying:!1},status:{error:""}}),!0}var lt=e=>JSON.stringify([l.request.modelName,e.source,l.request.beamSize,e.prefix]);async function Se(){let e=k();e?.isDone&&await P("search","Searching",async t=>{let n=lt(e),o={...J(),text:e.source,beam_size:l.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await N("translate",o,t),r=k();r&&lt(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function Fl(e,{weights:t}){return e==="mean"||t.has(e)||we.some(n=>e===`${H}${n}`)?!0:[...t.keys()].some(n=>e===`${K}${E(n)}`)}function It(e,t,n=null){let{head:o,outputPosition:s}=l.view,r=l.heads.disabled.filter(i=>e.weights.has(i));Ie({inspection:{result:e},trial:{otherText:null,patched:null}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:Fl(o,e)?o:pe(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),l.view.head.startsWith(H)&&oe(l.view.head)}async function U(){let e=k();if(!e?.isDone||!e.text||!R()||(await P("inspect","Looking inside",async n=>{It(await tt(Qe(e),n),e)}),I()))return;l.heads.disabled.length&&await ne();let{trace:t}=l.search;t?.source===e.source&&t.requestKey!==lt(e)&&await Se()}async function bn(e){let t=k();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await P("inspect","Loading a snapshot",async n=>{let o={...Qe(t),snapshot:e,...rn(t)};It(await tt(o,n),t,e)}))}async function oe(e){let t=l.inspection.result;if(!e.startsWith(H)||!t)return g({view:{head:e},inspection:{flow:null}});await P("flow","Following the layers",async n=>{let o=await et(t,`flow/${e.slice(H.length)}`,n);l.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var ir="";function cr(e){let{result:t,lookup:n}=l.inspection,{head:o,showsComputation:s}=l.view;if(!t?.weights.has(o)||!s||I())return;let r=Eo(e),i=ir===r&&(Ct("lookup")||l.status.error!=="");n?.cell===r||i||(ir=r,P("lookup","",async a=>{let c=await et(t,`lookup/${o}/${e.row}/${e.key}`,a);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var ct=()=>T()?.no_parts??"",ar={writes:"",stream:"",next:""};function Po(e,t,n,o){let{result:s}=l.inspection;if(!s||I())return;let r=ar[e]===t&&(Ct(e)||l.status.error!=="");l.inspection[e]?.cell===t||r||(ar[e]=t,P(e,"",async i=>{o(await et(s,n,i))}))}function ur(e){let{head:t}=l.view;if(!l.inspection.result?.weights.has(t)||ct())return;let n=Re(e.row,t);Po("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function pr(e){let t=Re(e);ct()||Po("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}function dr(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,s=`temperature=${t}&top_k=${n}&top_p=${o}`,r=Re(e,s);return Po("next",r,`next/${e}?${s}`,i=>{g({inspection:{next:{result:i,cell:r}}})}),r}async function hr(e,t){let{result:n}=l.inspection;!n||I()||await P("experiment","Trying",async o=>{let s=`experiment/${e}?seed=${t}`,r=await et(n,s,o);g({inspection:{experiment:{result:r,inspection:n}}})})}async function mr(e){let{result:t}=l.inspection;!t||I()||await P("patching","Patching",async n=>{let o=`patch?other=${encodeURIComponent(e)}&stream=true`,s=await Ws(t,o,n,(r,i)=>nt("patching",`Patching: ${r} of ${i} runs of the model`));g({inspection:{patching:{result:s,other:e,inspection:t}},trial:{patched:Bl(s)}})})}function Bl({effects:e}){let[t,n]=Object.entries(e)[0],o=n.flatMap((r,i)=>r.map((a,c)=>({stack:t,layer:i,position:c,effect:a}))),[s]=o.sort((r,i)=>Number(i.effect.toFixed(2))-Number(r.effect.toFixed(2))||r.layer-i.layer);return s??null}var ql=0,lr=new WeakMap;function Re(e,t=""){let n=l.inspection.result,o=lr.get(n)??++ql;return lr.set(n,o),`${o}/${t}/${e}`}var Eo=({row:e,key:t})=>`${Re(e,l.view.head)}/${t}`;async function fr(){await P("models","",async e=>{let{models:t}=await N("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>$e(s)===l.request.modelName);g({server:{models:t},request:{modelName:o?l.request.modelName:$e(n)},status:{error:"",needsApiKey:!1}})})}async function ut(){await P("count","",async e=>{if(!l.request.text.trim()||!R())return g({tokenCounts:{total:null}});let t={...J(),text:l.request.text},n=await N("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var gr=()=>l.inspection.sentence?.numGiven??0,yn=e=>Math.max(0,(e?.numGiven??0)-1);function pt(e,t){return e<t?"given":t>0&&e===t?"begins-written":""}var wn=(e,t)=>e?` Of ${t} tokens, the first ${e} were given; the others were written by the model.`:"",Mo=e=>e?u`<span class="given-legend"
        ><span class="given">given</span> <i class="boundary"></i>
        <span class="written">written by the model</span></span
      >`:h;var dt=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1,numGiven:0});function _o(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var Z=e=>e.join("").replaceAll("▁"," ").trimStart(),$n=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),ht=e=>/^<[^<>]+>$/.test(e);function Be(e,t,n="inserted"){let o=De(e),[s]=fn(o,De(t)),r=i=>n==="deleted"?u`<del>${i}</del>`:u`<mark>${i}</mark>`;return u`${o.map((i,a)=>s[a]?r(i.text):i.text)}`}var br=e=>ht(e)?`
`:e.replaceAll("▁"," ");function Oo({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>br(i.token)),o=De(n.join("")),[s]=fn(o,De(t.tokens.map(i=>br(i.token)).join(""))),r=0;return n.map(i=>{let a=r;r+=i.length;let c=p=>p.begin<r&&p.begin+p.text.length>a;return o.some((p,d)=>s[d]&&c(p))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",Gl=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,Ae=e=>Gl.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",jl=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,Vl=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function yr(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>jl.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!Vl.some(r=>r.test(n))&&o!=="ء"}function mt(e,t){let n=yr(e[t-1],e[t])?["joins-before"]:[],o=yr(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var ae=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function Pe(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var ft=(e,t)=>Array.from({length:e.keys},(n,o)=>Pe(e,t,o));function xn(e,t){let n=e.map((i,a)=>a).sort((i,a)=>e[a]-e[i]),o=new Set,s=e.reduce((i,a)=>i+a,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var Co=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function wr(e){let t=Co(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function $r(e){let[t]=e,n=Co(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function xr(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function kr(e,t,n){let o=Co(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,a)=>{let c=s.every(m=>i.every(f=>ae(e,m,f))),p=m=>i.reduce((f,y)=>f+Pe(e,m,y),0),d=s.reduce((m,f)=>m+p(f),0);o.values[r*n.length+a]=c?o.forbidden:d/s.length})}),o}var Pr=new WeakMap,Er=e=>Pr.get(e);function Mr(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),Pr.set(t,e),t}var vr=new WeakMap;function _r(e,t){let n=vr.get(e)??new Map,o=[t,...Y("paper"),...Y("heat")].join(" "),s=n.get(o)??Ul(e,t);return vr.set(e,n.set(o,s)),s}function Ho(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function Ul(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let p=0;p<e.rows;p++)for(let d=0;d<e.keys;d++){if(ae(e,p,d))continue;let m=Math.floor(p*n/e.rows)*o+Math.floor(d*o/e.keys);s[m]=Math.max(s[m],Pe(e,p,d))}let r=new ImageData(o,n),[i,a,c]=[Y("paper"),Y("heat"),Y("forbidden")];return s.forEach((p,d)=>{p<0?Ho(r,d,c,c,1):Ho(r,d,i,a,p)}),Mr(r)}var Kl={path:"",stroke:"none",thickness:0},No=new WeakMap,Or=e=>No.get(e);function Cr(e,t){No.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[],hatching:Kl}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function Lr(e,t,n){Cr(e,_r(t,n))}function Hr(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((a,c)=>{let p=Y(a<0?"less":"more");Ho(o,i*n+c,Y("paper"),p,Math.abs(a)/s)})}),Cr(e,Mr(o))}var Xl=14,zl=120,Tr=10,Sr=44,Jl=60,Yl=800,Zl=640,Ql=1.2,Lo=6,kn="13px system-ui, sans-serif";function Rr(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function Ar(e,t,n){let o=Math.max(Math.ceil(Xl/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function ec(e,t,n){let{weights:o,rows:s,keys:r,numGiven:i,chosen:a,isMirrored:c}=t;e.font=kn;let p=Math.min(zl,n*.25),d=Rr(e,s,p),m=Rr(e,r,p),f=C=>Math.max(...C.map(re=>e.measureText(re).width)),y=f(d)+Tr,b=f(m)+Tr,w=n>Yl?Jl:Sr,S=Math.max(Zl*w/Sr/s.length,2*Lo),_=Math.max(Ql,Math.min(w,(n-y-2)/r.length,S)),x=_>=Lo?Math.floor(_):_,B=x*r.length,q=x*s.length,ce=C=>y+x*(c?r.length-1-C:C),ye={rows:Ar(s.length,x,a.row),keys:Ar(r.length,x,a.key)},gs=(C,re)=>X(C?"accent":re?"faint":"ink"),qa=[...ye.rows.map(C=>({text:d[C],x:y-6,y:b+x*(C+.5),isVertical:!1,fill:gs(C===a.row,C<i.rows)})),...ye.keys.map(C=>({text:m[C],x:ce(C)+.5*x,y:b-6,isVertical:!0,fill:gs(C===a.key,C<i.keys)}))],bs={stroke:X("accent"),thickness:1.5},Ga=[{x:y-.5,y:b-.5,width:B+1,height:q+1,stroke:X("line"),thickness:1},...tc(i,{left:y,top:b,size:x,width:B,height:q,isMirrored:c}),{x:y,y:b+x*a.row,width:B,height:x,...bs},{x:ce(a.key),y:b,width:x,height:q,...bs}],ja=_r(o,1/0),Va=(C,re)=>x>=Lo&&ae(o,C,re),Ua=(C,re)=>{let[St,_e,Kt]=[ce(re),b+x*C,x/2];return`M ${St} ${_e+Kt} L ${St+Kt} ${_e} M ${St+Kt} ${_e+x} L ${St+x} ${_e+Kt}`},Ka={path:s.flatMap((C,re)=>r.map((St,_e)=>Va(re,_e)?Ua(re,_e):"")).join(""),stroke:X("hatching"),thickness:1};return{plan:{image:ja,left:y,top:b,width:B,height:q,isMirrored:c,labels:qa,frames:Ga,hatching:Ka},layout:{left:y,top:b,size:x,...ye}}}function tc({rows:e,keys:t},{left:n,top:o,size:s,width:r,height:i,isMirrored:a}){let c={stroke:X("faint"),thickness:1},p=s*t,[d,m]=[{x:n,y:o,width:r,height:s*e,...c},{x:a?n+r-p:n,y:o,width:p,height:i,...c}];return[...e?[d]:[],...t?[m]:[]]}function Nr(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=ec(o,t,n),{image:i,left:a,top:c,width:p,height:d,isMirrored:m,labels:f,frames:y,hatching:b}=s;No.set(e,s);let w=window.devicePixelRatio||1;e.width=Math.round((a+p+2)*w),e.height=Math.round((c+d+2)*w),e.style.width=`${a+p+2}px`,e.style.height=`${c+d+2}px`,o.scale(w,w),o.imageSmoothingEnabled=!1,o.save(),m&&o.transform(-1,0,0,1,2*a+p,0),o.drawImage(i,a,c,p,d),o.restore(),o.strokeStyle=b.stroke,o.lineWidth=b.thickness,o.stroke(new Path2D(b.path));for(let S of f)Io(o,S);for(let S of y)o.strokeStyle=S.stroke,o.lineWidth=S.thickness,o.strokeRect(S.x,S.y,S.width,S.height);return r}function Io(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=kn,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var Wt=12,nc="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",oc=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*sc(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:a}of e.data.matchAll(/\S+/gu)){o.setStart(e,a),o.setEnd(e,a+i.length);let{x:c,y:p,width:d,height:m}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;d&&(yield{kind:"text",x:c,y:p,width:d,height:m,text:i,fill:n,font:f,direction:t.direction})}}function*rc(e,{x:t,y:n,width:o,height:s},r){let i=Or(e);if(!i||!o)return;let{image:a,isMirrored:c}=i,p=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:a,isMirrored:c,opacity:r,...p},i.hatching.path&&(yield{kind:"line",...{...p,...i.hatching,fill:"none",opacity:r,dashes:""},origin:[t,n],scale:[1,1]});for(let d of i.frames)yield{kind:"frame",radius:0,...d,x:t+d.x,y:n+d.y};for(let d of i.labels)yield{kind:"label",...d,x:t+d.x,y:n+d.y,width:0,height:0}}function*ic(e,t,n){let{x:o,y:s,width:r,height:i}=n,a=parseFloat(t.borderRadius)||0,c=(d,m=2)=>({kind:"frame",stroke:d,thickness:m,radius:a,...n}),p=(d,m,f=2)=>({kind:"line",...n,path:d,origin:[o,s],scale:[1,1],fill:"none",stroke:m,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield p(`M 0 0 L ${r} ${i}`,X("ink"))),e.matches("del")&&(yield p(`M 0 ${i/2} L ${r} ${i/2}`,X("faint"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(X("accent"))),e.matches(".token.prefix-end")&&(yield c(X("ink"))),e.matches(".token.new, u.new")&&(yield p(`M 2 ${i-1} L ${r-2} ${i-1}`,X("ink")))}function ac(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:a,e:c,f:p}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,p],scale:[i,a],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*Ir(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(nc)||i.visibility==="hidden")return;let a=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*rc(e,r,c);else if(e instanceof SVGPathElement)yield ac(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!a&&o&&!oc(i.backgroundColor)){let p=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:p}}for(let p of e.childNodes)p instanceof Text?yield*sc(p,i,a?i.fill:i.color):p instanceof Element&&p.tagName!=="title"&&(yield*Ir(p));a||(yield*ic(e,i,r))}function vn(e){let{classList:t}=document.documentElement;t.add("saving");try{return lc(e)}finally{t.remove("saving")}}function lc(e){let t=[],n=Wt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,a=r.y-s.scrollTop,c=n;for(let p of Ir(s)){let d=p.x-i+Wt,m=p.y-a+n;t.push(p.kind==="line"?{...p,x:d,y:m,origin:[p.origin[0]-i+Wt,p.origin[1]-a+n]}:{...p,x:d,y:m}),o=Math.max(o,d+p.width),c=Math.max(c,m+p.height)}n=c+Wt}return{shapes:t,width:Math.ceil(o+Wt),height:Math.ceil(n),paper:X("paper")}}var Tn=2;function cc(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")Io(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function Wr(e){let{shapes:t,width:n,height:o,paper:s}=vn(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=Tn*n,r.height=Tn*o,i.scale(Tn,Tn),i.fillStyle=s,i.fillRect(0,0,n,o);for(let a of t)cc(i,a);return r}var uc=3e5,Wo=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function le(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):Wo(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function pc({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Er(e),a=new Map,c=o.width/r,p=o.height/i,d=(f,y)=>{let b=f*r+(t?r-1-y:y);return[0,1,2].map(w=>s[4*b+w].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let y=0,b;y<r;y=b){let w=d(f,y);for(b=y+1;b<r&&d(f,b)===w;)b++;let S={x:o.x+y*c,y:o.y+f*p,width:(b-y)*c,height:p},_=a.get(w)??[];a.set(w,_),_.push(le("rect",S))}let m=[...a].map(([f,y])=>le("g",{fill:`#${f}`},y.join("")));return le("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},m.join(""))}function dc({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let a=document.createElement("canvas");return a.width=e.width,a.height=e.height,a.getContext("2d").drawImage(e,0,0),le("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:a.toDataURL()})}function hc(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return le("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:a,radius:c}=e;return le("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(a)})}case"cells":return e.image.width*e.image.height>uc?dc(e):pc(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${kn}`};return le("text",i,`⁨${Wo(e.text)}⁩`)}case"line":return le("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return le("text",i,Wo(e.text))}}}function Dr(e){let{shapes:t,width:n,height:o,paper:s}=vn(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(hc)].join(`
`),a={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${le("svg",{xmlns:"http://www.w3.org/2000/svg",...a},`${i}
`)}
`}function Fr(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var qe=(e,t,n="text/plain")=>Fr(e,new Blob([t],{type:n}));function mc(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function Br(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",Br);addEventListener("pointerdown",Br);function M(e,t,n,o){let s={PNG:()=>Wr(t).toBlob(i=>{i&&Fr(`${e}.png`,i)}),SVG:()=>qe(`${e}.svg`,Dr(t),"image/svg+xml"),CSV:()=>qe(`${e}.csv`,mc(n()),"text/csv"),JSON:()=>qe(`${e}.json`,`${JSON.stringify(o(),null,2)}
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
  </details>`}var qr={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Dt=e=>(...t)=>({_$litDirective$:e,values:t}),gt=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var Do=class extends gt{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},A=Dt(Do);var fc={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],temperature:["Temperature","Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the factor one key would take nearly all of the weight."],"beam-search":["Beam search","Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best sums of log-probabilities are kept."],"log-probability":["Log-probability","The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],patching:["Patching","What would the model say if it had, at one place, the state that it has when it reads another text? Weights say where a head looks; this says what a state does."],difference:["Difference of log-probabilities","In nats. Above 0, the first token is more likely than the second; plus 0.69 nats, twice as likely."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},Rn="In nats: −0.69 halves a probability, +0.69 doubles it.",Sn=8;function gc(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(Sn,Math.min(n.left,innerWidth-t.offsetWidth-Sn)),r=n.bottom+t.offsetHeight+Sn<innerHeight?n.bottom+4:Math.max(Sn,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function v(e,t){let[n,o]=fc[e];return u`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${gc}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var bc=24,yc=.5,wc=.1;function $c(){let{ablations:e=[]}=l.inspection.result;if(!e.length)return h;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>u`<tr>
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
          <th>change, ${v("nats","nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}function An(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}var Pn=(e,t)=>u`<p class="legend">
    <span><i class="less"></i> less likely ${e}</span>
    <span><i class="more"></i> more likely</span>
    ${t?u`<span class="unit">${Rn}</span>`:h}
  </p>`;function En(e,t,n,o=0){let s=Math.max(n?yc:wc,...t.map(Math.abs)),r=(i,a)=>{let c=$(e[a]??""),p=An(i,2),m={width:`${Number(p)===0?0:50*Math.abs(i)/s}%`,[i<0?"right":"left"]:"50%"},f=a<o?", given":"";return u`<div
      class="change ${pt(a,o)}"
      role="listitem"
      aria-label="${c}${f} ${i.toFixed(2)} ${n}"
    >
      <bdi>${c}</bdi>
      <span class="track two"><span class=${i<0?"less":"more"} ${A(m)}></span></span>
      <span class="number">${p}</span>
    </div>`};return u`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(r)}
  </div>`}function xc({token_changes:e,log_prob_change:t,text:n}){let o=l.heads.ablatedSentence,s=e.reduce((p,d)=>p+d,0),r=R()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",a=o.prefix!==""||o.edit?.kind==="translation",c=n===o.text;return u`<p>
      Written then${c?", the same as with all heads":""}:
      <bdi class="strong" id="written-then">${Be(n,o.text)}</bdi>
    </p>
    ${a?u`<p class="hint" id="same-prefix">${i}</p>`:h}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${An(s,3)}</span> ${v("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, where each token follows the same
      words as above:
    </p>
    ${Pn("without the heads","nats")}
    ${En(We(o),e,"nats",yn(o))}
    <p class="hint"
      >The larger the change, the more the ${r} depends on what these heads look at. Weights alone do not tell. The
      other panels show the model with all its heads.</p
    >`}function kc({predicted:e=[]}){let t=l.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:a})=>[i,a])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(a=>a.label).join(" ");return u`<p>
      Said then: <bdi class="strong" id="written-then">${Be(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:a})=>o.get(i)-a);return u`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${Pn("without the heads","")} ${En(n,r,"")}`}function vc(){let{disabled:e}=l.heads;if(!e.length)return u`<p class="hint">
      Switch a head off: this shows how the probability of each token changes, and what the model
      ${ee()?"writes":"says"} instead.
    </p>`;let t=n=>u`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void st([n])}
      >${n} ✕</button
    >`;return u`<p class="chips"
    >${e.length>bc?`${e.length} heads are off.`:e.map(t)}</p
  >`}function Tc(e){let{predicted:t,token_changes:n}=e,o=We(l.heads.ablatedSentence);return M("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function Gr(){let{result:e,sentence:t}=l.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=l.heads;if(!e||!t)return h;if(l.server.storedPage)return $c();if(!te())return h;let i=W()||n!==null&&o!==t,a=d=>u`${ee()?xc(d):kc(d)}
      <p class="hint">
        The model was never trained without them: this is what they are worth here, not what another model could do.
      </p>`,c=u`<button id="all-on" @click=${()=>void de([])}>Switch all on</button>`,p=u`<button id="undo" @click=${()=>void Vs()}>Undo</button>`;return u`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:h} ${r.length?p:h}
      ${n?Tc(n):h}
    </div>
    ${vc()} ${n?a(n):h}
  </section>`}var{I:_m}=Ps;var jr=e=>e.strings===void 0;var Ft=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),Ft(o,t);return!0},Mn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},Vr=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Ac(t)}};function Sc(e){this._$AN!==void 0?(Mn(this),this._$AM=e,Vr(this)):this._$AM=e}function Rc(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)Ft(o[r],!1),Mn(o[r]);else o!=null&&(Ft(o,!1),Mn(o));else Ft(this,e)}var Ac=e=>{e.type==qr.CHILD&&(e._$AP??=Rc,e._$AQ??=Sc)},_n=class extends gt{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),Vr(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(Ft(this,t),Mn(this))}setValue(t){if(jr(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Fo=new WeakMap,bt=Dt(class extends _n{render(e){return h}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),h}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Fo.get(t);n===void 0&&(n=new WeakMap,Fo.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Fo.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Pc({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let a=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(a=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(a=s+/^\s*/u.exec(o.slice(s,a).join(""))[0].length);let p=o.slice(s,a).join("");return s=a,p})}var Ur=/^▁?(<unk>|\[UNK\])$/;function Ec(e,t){let n=t.trim();return Ur.test(e)&&n&&!Ur.test(n)?`<unk: ${n}>`:e}function Cn(e,t){let n=l.view.groupsWords?xr(e):e.spelled.map((r,i)=>[i]),o=Pc(e,t),s=e.spelled.map((r,i)=>Ec(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:Ae(t),numGiven:n.filter(r=>r.at(-1)<gr()).length}}function Kr({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function Xr(e,t,n,o,s){let r=l.view.groupsWords?kr(t,n.groups,o.groups):t,i=Kr(n,s.row),a=ft(r,i),c=a.indexOf(Math.max(...a)),p=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:p?Kr(o,s.key):c}}function Mc({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,a=Cn(e,r??s),c=Cn(t,s),{outputPosition:p,inputPosition:d}=l.view,m=r===null&&i.length>0,f=m?p-1:p,y=Xr("flow",wr(n),a,c,{row:f,key:d});return m&&(a.groups=a.groups.map(b=>b.map(w=>w+1)),a.numGiven=Math.max(0,a.numGiven-1)),y}function _c(){let{tokens:e,weights:t}=l.inspection.result,{head:n}=l.view,o=[...t.keys()],s=o.filter(a=>n===`${K}${E(a)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(a=>a.startsWith(`${i}.`))}var On=null;function Oc(e){return On?.heads.length===e.length&&e.every((n,o)=>n===On.heads[o])||(On={heads:e,mean:$r(e)}),On.mean}function Ee(){let{result:e,flow:t}=l.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=l.view;if(!e)return null;if(n.startsWith(H))return t&&Mc(t);let{text:i,target:a,weights:c}=e,p=c.has(n)?[n]:_c(),d=p[0].split(".")[0],m=e.tokens[d],f=p.map(_=>c.get(_)),y=Cn(m.rows,d==="encoder"?i:a??i),b=Cn(m.keys,d==="decoder"?a??i:i),w=m.rows.spelled.length-1,S=ho(d)?{row:Math.min(o,w),key:s}:{row:Math.min(s??0,w),key:r};return Xr(d,f.length>1?Oc(f):f[0],y,b,S)}function z({kind:e,rows:t,keys:n},o,s){let r=({groups:c},p)=>c[Math.max(0,Math.min(p,c.length-1))][0],i=r(t,o),a=r(n,s);ho(e)?g({view:{outputPosition:i,inputPosition:a}}):g({view:{inputPosition:i,keyPosition:a}})}var zr=12;function Q(e,t=1){let n=Y("paper"),o=Y(e);return u`<span class="ramp" aria-hidden="true"
    >${Array.from({length:zr},(s,r)=>{let i=n.map((a,c)=>Math.round(a+t*r/(zr-1)*(o[c]-a)));return u`<i ${A({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var Cc=1e3,qo=.5,Lc=.7,Hc=.05,Nc="20px system-ui, sans-serif",Ic=16,Wc=3,Dc=3,he=30,Jr=14,Bo=140,Fc=640,Bc=.7,qc=1.4,Gc=.4,Ln=null;function jc(e){let t=Math.min(l.view.rowShare,qo);if(Ln?.weights===e&&Ln.share===t)return Ln.edges;let n=Math.max(1,Math.floor(Cc/e.rows)),o=Array.from({length:e.rows},(s,r)=>ti(e,r,t).slice(0,n)).flat();return Ln={weights:e,share:t,edges:o},o}function ti(e,t,n){let o=ft(e,t);return[...xn(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var Yr=new OffscreenCanvas(1,1).getContext("2d");function Nn(e){return Yr.font=Nc,Yr.measureText(e).width}function Hn(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),a=$(s),c=Math.max(24,Nn(a));return r&&(n+=i?Wc:t*Ic),n+=c,{text:a,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function Vc({rows:e,keys:t},n){let o=f=>Math.max(Hn(e,f).width,Hn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(Dc,1+(n-Jr-s)/Math.max(r,1))),a={rows:Hn(e,i),keys:Hn(t,i)},c=Math.max(a.rows.width,a.keys.width)+Jr,p=(f,y)=>f.words.map(b=>({...b,x:b.x+(c-f.width)/2,y})),d=he,m=d+Bo;return{width:c,height:m+he,keys:p(a.keys,he/2),rows:p(a.rows,m+he/2),path:(f,y)=>`M ${f.x} ${m} C ${f.x} ${m-Bo/2}, ${y.x} ${d+Bo/2}, ${y.x} ${d}`}}function Uc(e,t){let n=[...e];if(Nn(e)<=t)return e;for(;n.length>1&&Nn(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function Kc({rows:e,keys:t},n){let o=(p,d)=>p.labels.map(f=>Uc($(f),Gc*n)).map((f,y)=>{let b=Math.max(24,Nn(f));return{text:f,width:b,x:d?n-4-b/2:4+b/2,y:he*(y+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(p=>p.width)),a=n-10-Math.max(...r.map(p=>p.width)),c=(i+a)/2;return{width:n,height:he*Math.max(s.length,r.length),keys:s,rows:r,path:(p,d)=>{let m=`C ${c} ${p.y}, ${c} ${d.y}, ${i} ${d.y}`;return`M ${n-8-p.width} ${p.y} L ${a} ${p.y} ${m} L ${8+d.width} ${d.y}`}}}var Go=()=>ni()<Fc;function ni(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function Zr(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function Xc({text:e,x:t,y:n},o,s,r,i){return L`<text class="word ${pt(s,r)}" x=${t} y=${n} dy="0.35em"
    data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${i}
    @pointerenter=${a=>Zr(a,o,s)}
    @pointerleave=${a=>Zr(a,o,null)}>\u2068${e}\u2069</text>`}var Qr=e=>e?L`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-he/2+1}
        width=${e.width+8} height=${he-2} rx="4"></rect>`:h;function ei(e,{numGiven:t,direction:n}){let[o,s]=[e[t-1],e[t]];if(!o||!s)return h;let r=he/2;if(o.y!==s.y){let c=Math.min(o.x-o.width/2,s.x-s.width/2),p=Math.max(o.x+o.width/2,s.x+s.width/2);return L`<path class="boundary" d="M ${c} ${(o.y+s.y)/2} H ${p}"></path>`}let i=n==="rtl"?-1:1,a=(o.x+i*o.width/2+s.x-i*s.width/2)/2;return L`<path class="boundary" d="M ${a} ${o.y-r} V ${o.y+r}"></path>`}function oi(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=ni(),a=Go(),c=a?Kc(e,i):Vc(e,i),p=a?1:Math.max(Bc,Math.min(qc,i/c.width)),m=[...l.view.hidesOtherRows?[]:jc(t).filter(x=>x.row!==s),...ti(t,s,l.view.rowShare)],f=x=>{let B=x.row===s,q=Math.max(Hc,B?x.weight:Lc*x.weight);return L`<path class=${B?"edge here":"edge"} data-row=${x.row} data-key=${x.key}
      data-weight=${x.weight.toFixed(3)} opacity=${q} stroke-width=${1+4*x.weight}
      d=${c.path(c.rows[x.row],c.keys[x.key])}></path>`},y=(x,B,q)=>B.map((ce,ye)=>Xc(ce,x,ye,e[`${x}s`].numGiven,()=>q(ye))),[b,w]=[n.labels.length,o.labels.length],S=wn(n.numGiven,b),_=`Curves from each of ${b} tokens to those of ${w} that it looks at.${S}`;return u`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(p*c.width)}
      height=${Math.round(p*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label=${_}
    >
      ${m.map(f)} ${ei(c.keys,o)} ${ei(c.rows,n)} ${Qr(c.keys[r])}
      ${Qr(c.rows[s])} ${y("key",c.keys,x=>z(e,s,x))}
      ${y("row",c.rows,x=>z(e,x,r))}
    </svg>
  </div>`}var O=e=>e.target.value,me=e=>e.target.checked,yt=e=>e.ctrlKey||e.metaKey||e.altKey,In=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);function zc(){let e=l.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var jo=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:zc()}),Vo=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function wt(e){return e==="encoder"?"read":l.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function ge({kind:e,rows:t},n){let o=wt(e);return o==="read"?null:o==="translation"?jo(t.labels,n):Vo(t.labels,n)}var fe=e=>u`<bdi class="strong">${$(e)}</bdi>`;function se({writes:e,read:t},n="about",o=h){let s=u`${e===null?"the next token":fe(e)}${o}`;return t===null?u`${n} to write ${s}`:u`${n} to write ${s}, has read up to ${fe(t)}`}var si=4,Jc=({weights:e},t)=>e.keys-e.rows+t;function Uo(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>ae(e.weights,t,n))}function Yc(e){let t=e.rows.labels.flatMap((n,o)=>{let s=Jc(e,o),r=i=>i<s||e.kind==="encoder";return Uo(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function ri(e,t){let n=t.slice(0,si+ +(t.length===si+1)),o=n.map((r,i)=>u`${i?", ":h}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return u`${o}${s?` and ${s} more`:h}`}function Zc(e){let t=Uo(e,e.row),n=ge(e,e.row),o=n?u`${se(n,"About")}: it may`:u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?u`${o} look at ${ri(e,s)}, and not at ${ri(e,t)}.`:u`${o} look at all of them.`}var ii={cross:"No cell is hatched: the text is there from the start, so every place may look at all of it. Heads that read what is written have hatched cells: a place may not look at tokens that are not written yet.",encoder:"No cell is hatched: the text is there from the start, so each token may look at those before and after it."};function ai(e){let{kind:t}=e;if(t==="flow")return h;if(!e.rows.labels.some((d,m)=>Uo(e,m).length))return ii[t]?u`<p id="mask">${ii[t]}</p>`:h;let o=wt(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, there are none. To show this, the whole ${o?"translation":"text"} is read at once, so a mask hides them.`:"",i=Yc(e),a=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${a}; the rest is hidden.`,p=[r,c].filter(Boolean).join(" Also, ");return u`<p id="mask"> Hatched: ${p} ${Zc(e)} </p>`}var li=5,Qc=.85,eu=.6;function tu({weights:e,rows:t,keys:n,row:o,key:s}){let r=(a,c)=>{let p=Math.max(0,Math.min(a-2,c-li));return Array.from({length:Math.min(li,c)},(d,m)=>p+m)},i=(a,c)=>{let p=ae(e,a,c)?"forbidden":Pe(e,a,c).toFixed(2),d=`${$(t.labels[a])} → ${$(n.labels[c])} ${p}`;return u`<td role="gridcell" aria-label=${d}></td>`};return u`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(a=>u`<tr> ${r(s,e.keys).map(c=>i(a,c))} </tr>`)}
    </tbody>
  </table>`}function ci({pieces:e,labels:t,direction:n,numGiven:o},s){let{id:r,label:i,chosen:a,shareOf:c,choose:p}=s,d=(f,y)=>{let b=c(y),w=f!==""&&!/\p{Letter}/u.test(f),S=A({background:b?ie("heat",Qc*b):"",color:b>eu?"var(--paper)":""}),_=b?"":pt(y,o),x=`part ${y===a?"here":""} ${_}`,[,B,q]=/^(\s*)([^]*)$/u.exec(f);if(mt(e,y))return u`${B}<span class=${x} @click=${()=>p(y)} ${S}>${q}</span>`;let ce=q||f||$(t[y]);return u`<bdi class=${f?"":"symbol"} dir=${w?n:"auto"} @click=${()=>p(y)}
      >${q?B:h}<span class=${x} ${S}>${ce}</span></bdi
    >`},m=e.map(d);return u`<p id=${r} class="tokens" dir=${n} role="group" aria-label=${i}>${m}</p>`}var ui={translation:"the place where it is about to be written: all tokens before it have been read there",text:"the place where it has been read, and the next token is about to be written",read:"itself"};function nu(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${l.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${ui[wt(e)]}. Columns: ${t}.`}function ou({kind:e}){if(e==="flow")return h;let[t,n]=Go()?["Left","Right"]:["Above","Below"];return u`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${ui[wt(e)]}.
  </p>`}function su(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>z(t,n-1,o),ArrowDown:()=>z(t,n+1,o),ArrowLeft:()=>z(t,n,o-i),ArrowRight:()=>z(t,n,o+i),Home:()=>z(t,n,0),End:()=>z(t,n,s.keys-1),n:()=>ze(1),p:()=>ze(-1),PageDown:()=>Je(1),PageUp:()=>Je(-1)}[e.key];yt(e)||!c||(c(),e.preventDefault())}var Ge=null,pi=()=>Ge;function ru(e,t){if(!Ge)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-Ge.left)/Ge.size),i=Math.floor((e.clientY-s.top-Ge.top)/Ge.size),a=o.direction==="rtl"?n.keys-1-r:r;i>=0&&a>=0&&i<n.rows&&a<n.keys&&z(t,i,a)}function iu(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",a={weights:t,rows:n.labels,keys:o.labels,numGiven:{rows:n.numGiven,keys:o.numGiven},chosen:{row:s,key:r},isMirrored:i},c=w=>{queueMicrotask(()=>{let S=w?.parentElement;S&&(Ge=Nr(w,a,S.clientWidth))})},p=`${t.rows} rows, ${t.keys} columns`,d=u`<span><i class="stroke"></i> the others</span>`,m=t.values.includes(t.forbidden),f=u`<span><i class="forbidden"></i> forbidden by a mask</span>`,y=wn(n.numGiven,n.labels.length),b=`Weights of ${l.view.head}: ${p}. Arrow keys choose a cell.${y}`;return u`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label=${b}
        ${bt(c)}
        @pointerdown=${w=>ru(w,e)}
        @keydown=${w=>su(w,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${v("weight","weight")} 0 ${Q("heat")} 1</span>
      ${m?f:h}
      <span><i class="stroke here"></i> the chosen token</span> ${l.view.hidesOtherRows?h:d}
      ${Mo(n.numGiven)}
    </p>`}function au(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:a}=e,c=n.values instanceof Uint16Array?3:2,p=S=>Pe(n,r,S).toFixed(c),d=u`<bdi class="strong">${$(o.labels[r])}</bdi>`,m=u`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=u`<span class="strong number">${p(i)}</span>`,y=!ae(n,r,i);if(t==="flow"&&y)return u`<p id="cell" role="status">${m} has a share of ${f} in ${d}.</p>`;let b=u`Most, ${p(a)}, goes to <bdi>${$(s.labels[a])}</bdi>.`,w=ge(e,r);return u`<p id="cell" role="status">
    ${w?u`${se(w,"About")}:`:d}
    ${y?u`looks with ${f} at`:"may not look at"} ${m}. ${i===a?h:b}
  </p>`}function di(){let e=(r,i)=>u`<option value=${r} ?selected=${r===l.view.head}>${i}</option>`,t=[...l.inspection.result.weights.keys()],n=[...new Set(t.map(E))],o=r=>u`<optgroup label="${on(r)} (${r})">
      ${t.filter(i=>E(i)===r).map(i=>e(i,fo(i)))}
      ${e(`${K}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>u`<optgroup label="Through all layers">
      ${we.map(r=>e(`${H}${r}`,r))}
    </optgroup>`;return u`${v("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void oe(O(r))}>
      ${n.map(o)} ${e("mean","mean")} ${l.server.storedPage?h:s()}
    </select>
    ${lu()}`}function lu(){let e=nn();if(!e)return h;let{head:t,isOfModel:n}=e;return u`<button id="aligns" aria-pressed=${l.view.head===t} @click=${()=>void oe(t)}
    >${n?"Show the alignment head":"Show the alignment layer of this sentence"}</button
  >`}function cu(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=l.view,o=`${Math.round(100*e)} %`;return u`${v("share","Share of a row")}
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
        @change=${s=>g({view:{groupsWords:me(s)}})}
      />
      ${v("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:me(s)}})}
      />
      only the chosen token</label
    >`}function uu({weights:e,rows:t,keys:n}){let o=(a,c)=>ae(e,a,c)?null:Pe(e,a,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((a,c)=>n.labels.flatMap((p,d)=>{let m=o(c,d);return m===null?[]:[[c,d,a,p,m]]}))],r=(a,c)=>{let p=o(a,c);return p===null?null:Number(p)};return M("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:l.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((a,c)=>n.labels.map((p,d)=>r(c,d)))}))}var pu="<s> is the symbol that begins a text, </s> the one that ends it.";function du({kind:e,keys:t}){return u`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":h} ${e==="flow"?h:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${pu}
  </p>`}function Ko(e){return(R()||l.server.storedPage)&&e!=="encoder"&&e!=="decoder"?"Alignment":"Attention"}function hu(){let e=ee()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return u`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${Ko()}</h2></div>
    ${l.inspection.result?di():h}
    <p class="hint">${k()?"…":e}</p>
  </section>`}function mu(){let{head:e}=l.view,{result:t}=l.inspection;return t?.weights.has(e)?sn(e):e.startsWith(H)?`Through all layers: ${e.slice(H.length).replace("-"," ")}`:e.startsWith(K)?`Mean of ${on(e.slice(K.length))}`:"Mean of the last kind of heads"}function hi(){let e=Ee();return!e||!l.inspection.result?hu():u`<section class="panel alignment ${mi(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title"
        >${nn()?v("alignment",Ko(e.kind)):Ko(e.kind)}</h2
      >
      <span id="shown-head" class="strong">${mu()}</span>
      ${uu(e)}
    </div>
    <div class="together chooser" data-unsaved>${di()}</div>
    ${oi(e)} ${e.rows.numGiven?u`<p class="legend">${Mo(e.rows.numGiven)}</p>`:h}
    ${ou(e)} ${au(e)} ${gu(e)}
  </section>`}var fu="They are no dictionary: they show where one head looks, and it may look at another word than the one that is translated.";function gu({kind:e}){return u`<p class="hint">
    Lines lead to the largest weights: of the chosen token, to those that are ${Math.round(100*l.view.rowShare)} %
    of its row; of each other token, to those that are
    ${Math.round(100*Math.min(l.view.rowShare,qo))} %. ${e==="cross"?fu:h}
  </p>`}function mi({kind:e}){let{result:t,flow:n}=l.inspection;return W()||e==="flow"&&n?.inspection!==t}function fi(){let e=Ee();if(!e||!l.inspection.result)return h;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=ft(r,o),a=xn(i,l.view.rowShare),c=ci(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:d=>z(e,d,s)}),p=ci(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:d=>a.has(d)?i[d]:0,choose:d=>z(e,o,d)});return u`<section class="panel matrix ${mi(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${cu()}
    </div>
    <p class="hint" id="axes">${nu(e.kind)}</p>
    ${ai(e)} ${iu(e)} ${tu(e)}
    <div class="sides">${c} ${p}</div>
    ${du(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var bu=6,gi=1,Xo=e=>g({trial:{softmax:{...l.trial.softmax,...e}}});function bi(e,t,n){return u`<label><input id=${e} type="checkbox" .checked=${t} @change=${s=>Xo(e==="scaled"?{isScaled:me(s)}:{isMasked:me(s)})} /> ${n}</label>`}function yi({factor:e,query:t,allowed:n}){let{softmax:o}=l.trial,{temperature:s,isScaled:r,isMasked:i}=o,a=p=>Xo({temperature:10**Number(O(p))}),c=u`<button id="own-softmax" @click=${()=>Xo(_t)}>As the model has it</button>`;return u`<div class="controls together" data-unsaved>
      <label
        >${v("temperature","temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-gi}
          max=${gi}
          step="0.05"
          .value=${String(Math.log10(s))}
          aria-label="Temperature of this row"
          aria-valuetext=${s.toFixed(2)}
          @input=${a}
        />
        <span class="number">${s.toFixed(2)}</span></label
      >
      ${e===1?h:bi("scaled",r,`1 ÷ √${t.length}`)}
      ${n.every(Boolean)?h:bi("masked",i,"mask")} ${en(o)?h:c}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`}function yu(e,t){let n=ao(t,_t).entropy.toFixed(2),o=u`, in place of <span class="number">${n}</span>`;return u`<p class="hint" id="row-spread">
    The weights are spread by
    <span class="strong number">${e.entropy.toFixed(2)}</span> nats
    (entropy)${en(l.trial.softmax)?h:o}. ${e.total.toFixed(2)} is the sum of the column
    before it, over all keys.
  </p>`}function wi(e,t){let{softmax:n}=l.trial,o=ao(t,n),{keys:s,scores:r,exponentials:i,highest:a,total:c,weights:p}=o,d=s.slice(0,bu),m=d.includes(e.key)||!s.includes(e.key)?d:[...d,e.key],f=en(n),y=u` <span class="hint">(hidden)</span>`,b=x=>u`<tr class=${x===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[x])}</bdi>${t.allowed[x]?h:y}</td>
      <td class="number">${r[x].toFixed(2)}</td>
      <td class="number">${i[x].toFixed(3)}</td>
      <td class="number">${p[x].toFixed(3)}</td>
      ${f?h:u`<td class="number">${t.weights[x].toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${A({width:`${100*p[x]}%`})}></span></span>
      </td>
    </tr>`,w=s.length-m.length,S=n.temperature===1?"":` ÷ ${n.temperature.toFixed(2)}`,_=`score − ${a.toFixed(2)}`;return u`<table id="softmax" class=${f?"":"compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${S?`(${_})${S}`:_})</th>
          <th>÷ ${c.toFixed(2)} = weight</th>
          ${f?h:u`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${m.map(b)} </tbody>
    </table>
    ${w>0?u`<p class="hint">and ${w} more keys.</p>`:h} ${yu(o,t)}`}var $i=320,xi=18;function je(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=$i/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,a=(c,p)=>L`<rect x=${p*r} width=${r} height=${xi} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return u`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${$i} ${xi}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(a)}
    </svg>
  </div>`}var wu=.01,$u=.12;function xu({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>u`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${A({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return u`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function ku({likelier:e,said:t}){if(!e.length&&!t)return h;let n=()=>u`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>u`Read by the output layer, it makes these more likely than any others:
    ${e.map(([s,r])=>u`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)}
    (${v("logit","logits")}).`;return u`<p>${e.length?o():h} ${t?n():h}</p>`}function vu({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,p)=>p===0||n.weights[c]>=wu),r=n.weights.filter(c=>c>0).length-s.length,i=Math.max(0,1-s.reduce((c,p)=>c+n.weights[p],0)),a=s.map((c,p)=>{let d=n.weights[c],m=u`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${d.toFixed(2)}</span>`,f=Math.max($u,d);return je(`value ${p}`,m,n.values[p],{max:o,opacity:f})});return u`<p>
      Each of these tokens has a ${v("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${a}
    ${r?u`<p class="hint">and ${r} more keys, together × ${i.toFixed(2)}.</p>`:h}
    ${je("sum",u`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${xu(n)}</div>
    ${ku(n)}`}function ki(e){ur(e);let{writes:t}=l.inspection,n=ct(),o=t!==null&&t.cell!==Re(e.row,l.view.head);return u`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?u`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?vu({keys:t.result.keys,labels:t.view.keys.labels},t.result):u`<p class="hint">…</p>`}
  </div>`}var zo="The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values.";function Tu({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:a}=t;if(!a[e])return u`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,y)=>f+y,0),p=f=>u`<span class="number">${f.toFixed(3)}</span>`,d=u`, times ${p(s)} (1 ÷ √${n.length})`,m=u`, plus ${p(i[e])} for the positions`;return u`<p id="score">
    The sum, ${p(c)}${s===1?h:d}${i[e]?m:h}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function Su(e,t){let n=u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=u`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=ge(e,e.row),r=s?u`the place that is ${se(s)}`:u`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",a=s?.writes?u`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return u`<p class="hint">${zo}</p>
    <p class="hint" id="place">The query belongs to ${r}.</p>
    ${je("query",a,t.query)} ${je("key",u`key of ${o}`,t.key)}
    ${je("terms",i,t.terms)} ${Tu(e,t)} ${yi(t)}
    ${wi(e,t)} ${ki(e)}
    <p class="legend"><span>below 0 ${Q("less")}</span> <span>above 0 ${Q("more")}</span></p>`}function Ru(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return M("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((p,d)=>[p,n[d],o[d],Number(s[d]),r[d]])],()=>({head:l.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:l.inspection.writes?.result??null}))}function vi(){let e=Ee(),t=l.inspection.result;if(!t||!e||l.server.storedPage)return h;let{showsComputation:n,groupsWords:o,head:s}=l.view,r=t.weights.has(s);n&&!o&&cr(e);let i=n&&r&&!o?l.inspection.lookup:null,a=W()||i!==null&&i.cell!==Eo(e),p=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?Su(i.view,i.result):"…":u`<p class="hint">${zo}</p>
        <p class="hint">What is shown is not one head. Choose a head in the grid.</p>`:`${zo} This shows the numbers.`;return u`<section class="panel computed ${a?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${v("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?Ru(i.view,i.result):h}
    </div>
    ${typeof p=="string"?u`<p class="hint">${p}</p>`:p}
  </section>`}var Au=()=>T()?.arch==="rnn",Pu=()=>[...l.inspection.result?.weights.keys()??[]].some(e=>e.startsWith("decoder.")),Jo={shuffle:{button:"Shuffle the words",says:"The model reads the words of the text in another order.",reason:()=>l.inspection.result?.target===null?"reads no other text than its own":void 0},"no-positions":{button:"Take positions away",says:"Nothing tells the model any more where a token stands: neither positions that are added to embeddings, nor those in the scores. Attention alone sees a set of tokens; the mask is left.",reason:()=>Au()?"reads token by token: it has no positions to take away":void 0},future:{button:"Let it see the future",says:"No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was trained with the mask, so it has not learnt what to do with them.",reason:()=>Pu()?void 0:"reads token by token: it has no mask to take away"}},Ti=0;function Eu(){let e=t=>{let{button:n,reason:o}=Jo[t],s=o(),r=l.inspection.experiment?.result.change===t,i=()=>{t==="shuffle"&&(Ti+=1),hr(t,Ti)};return u`<button
      data-change=${t}
      aria-pressed=${r}
      ?disabled=${s!==void 0}
      title=${s?`This model ${s}.`:h}
      @click=${i}
      >${n}</button
    >`};return u`<p class="together" data-unsaved>${Object.keys(Jo).map(e)}</p>`}var Si=e=>e.reduce((t,n)=>t+n,0);function Mu({change:e,source:t,tokens:n,before:o,after:s}){let r=s.map((d,m)=>d-o[m]),[i,a]=[Si(o),Si(s)],c=(d,m)=>u`<span class="strong number" id=${m}>${d.toFixed(2)}</span>`,p=u`<p>It reads: <bdi class="strong" id="shuffled">${t}</bdi></p>`;return u`<p>${Jo[e]?.says}</p>
    ${e==="shuffle"?p:h}
    <p>
      The same ${T()?.direction?"translation":"text"} then has a log-probability of
      ${c(a,"sum-after")} in place of ${c(i,"sum-before")} (<span class="number"
        >${An(a-i,2)}</span
      >
      ${v("log-probability","nats")}). Of each token:
    </p>
    ${Pn("then","nats")} ${En(n,r,"nats",yn(l.inspection.sentence))}`}function _u(e){let{tokens:t,before:n,after:o}=e;return M("experiment",[".experiments .changes"],()=>[["token","before","after"],...t.map((r,i)=>[r,n[i],o[i]])],()=>e)}function Ri(){let{result:e,experiment:t,snapshot:n}=l.inspection;if(!ee()||!e||n!==null)return h;let o=t?.inspection===e?t.result:null,s=u`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;return u`<section class="panel experiments ${W()?"stale":""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${o?_u(o):h}
    </div>
    ${Eu()} ${o?Mu(o):s}
  </section>`}var Ou=.85,Cu=.6,Ai={encoder:"Encoder: the text",decoder:"Decoder: what is written"},Yo=e=>e.toFixed(2).replace(/^-0\.00$/,"0.00");function Lu(e,{tokens:t,effects:n}){let o=n[e],{patched:s}=l.trial,r=(a,c,p)=>{let d=s?.stack===e&&s.layer===c&&s.position===p,m=Math.min(1,Math.max(0,a)),f=A({background:ie("heat",Ou*m),color:m>Cu?"var(--paper)":""}),y=`${$(t[e][p])} after layer ${c}: effect ${Yo(a)}`;return u`<td>
      <button
        class="patch number"
        aria-pressed=${d}
        aria-label=${y}
        ${f}
        @click=${()=>g({trial:{patched:{stack:e,layer:c,position:p}}})}
        >${Yo(a)}</button
      >
    </td>`},i=(a,c)=>u`<tr>
      <th scope="row">layer ${c}</th>
      ${a.map((p,d)=>r(p,c,d))}
    </tr>`;return u`<div class="scroll" tabindex="0" role="group" aria-label=${Ai[e]??e}>
    <table class="patches" data-stack=${e}>
      <thead>
        <tr>
          <th scope="col">${Ai[e]??e}</th>
          ${t[e].map(a=>u`<th scope="col"><bdi>${$(a)}</bdi></th>`)}
        </tr>
      </thead>
      <tbody> ${o.map(i).reverse()} </tbody>
    </table>
  </div>`}function Hu({answers:e,difference:t,other_difference:n,tokens:o,effects:s}){let{patched:r}=l.trial,a=(r&&s[r.stack])?.[r.layer]?.[r.position];if(a===void 0)return h;let{stack:c,layer:p,position:d}=r,m=t+a*(n-t);return u`<p id="patch-effect" role="status">
    The state of the other text in the place of ${fe(o[c][d])}, after layer ${p} of the
    ${c}: <span class="strong number">${Yo(a)}</span> of the way from ${fe(e[0])} to
    ${fe(e[1])}. The difference of their log-probabilities is then
    <span class="number" id="patch-difference">${m.toFixed(2)}</span> ${v("difference","nats")}.
  </p>`}function Nu(e){let{answers:t,difference:n,other_difference:o,effects:s}=e;return u`<p id="patch-answers">
      After this text the model says ${fe(t[0])}, after the other one ${fe(t[1])}: log
      p(<bdi>${$(t[0])}</bdi>) − log p(<bdi>${$(t[1])}</bdi>) is
      <span class="number">${n.toFixed(2)}</span> and
      <span class="number">${o.toFixed(2)}</span>. Each number below: how much of the way one state of the
      other text goes, put into the run on this one. 0: nothing changes; 1: that state alone makes the model say
      ${fe(t[1])}.
    </p>
    ${Object.keys(s).map(r=>Lu(r,e))} ${Hu(e)}`}function Iu(e,t){return M("patching",[".patches","#patch-effect"],()=>[["stack","layer","position","token","effect"],...Object.entries(e.effects).flatMap(([o,s])=>s.flatMap((r,i)=>r.map((a,c)=>[o,i,c,e.tokens[o][c],a])))],()=>({other:t,...e}))}function Pi(){let{result:e,patching:t,snapshot:n}=l.inspection;if(!e||n!==null||l.server.storedPage||e.arch==="rnn")return h;let o=t?.inspection===e?t:null,s=l.trial.otherText??e.text,r=a=>{a.preventDefault(),mr(s)},i=u`<p class="hint">
    Which states make the difference? Change one word of the text, so that what the model says changes, too. States of
    the other text are then put into the run on this one, one at a time: a run of the model for each token and layer.
    Both texts need the same number of tokens.
  </p>`;return u`<section class="panel patching ${W()?"stale":""}" aria-labelledby="patching-title">
    <div class="head">
      <h2 id="patching-title">${v("patching","Patching")}</h2>
      ${o?Iu(o.result,o.other):h}
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
      <button id="patch" ?disabled=${s===e.text||!T()}>Exchange states</button>
    </form>
    ${o?Nu(o.result):i}
  </section>`}var Wu=5,Du=480,Ei=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function Mi(e){let{importance:t,importanceByToken:n}=l.heads,{sentence:o}=l.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return h;let i=R()?0:1,a=Math.max(0,Math.min(l.view.outputPosition-i,r-1)),c=e.findIndex((b,w)=>b===l.view.head&&s[w].length),p=$(We()[a]??""),d=c<0?"":`${e[c]} is worth ${s[c][a].toFixed(3)} nats for ${p}.`,m=s.map(b=>b.map(w=>-w)),f=b=>{b&&Hr(b,m,r)},y=b=>{let w=b.target.getBoundingClientRect(),S=e[Ei(b.clientY-w.top,w.height,e.length)],_=Ei(b.clientX-w.left,w.width,r)+i;g({view:{head:S,outputPosition:Math.min(_,o.tokens.length-1)}})};return u`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${d}"
      ${bt(f)}
      ${A({height:`${Math.min(Wu*e.length,Du)}px`})}
      @pointerdown=${y}
    ></canvas>
    <p id="sweep-cell" role="status">${d||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is less likely ${Q("less")}</span>
      <span>more likely ${Q("more")}</span>
      <span>${Rn}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${R()?", the end included":" after the first"}.
    </p>
  </details>`}var Fu=44,Bu=.35,Zo={place:()=>0,worth:({head:e})=>-(l.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},Oi=()=>l.heads.sortBy!=="place"&&Object.hasOwn(Zo,l.heads.sortBy);function Ci(){let{heads:e}=l.inspection.result;if(Oi()){let n=Zo[l.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>E(n.head)))].map(n=>({layer:n,heads:e.filter(o=>E(o.head)===n)}))}var Li=()=>l.inspection.result.heads.map(e=>e.head),Hi=e=>Li().filter(t=>E(t)===E(e));function Ni(e){let t=Li().filter(s=>s!==e),{disabled:n}=l.heads,o=n.length===t.length&&!n.includes(e);de(o?[]:t)}function qu(e,t){let n=Ci().map(({heads:p})=>p.map(d=>d.head)),o=n.findIndex(p=>p.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),a=(p,d)=>p[Math.max(0,Math.min(d,p.length-1))];return{ArrowLeft:a(r,i-1),ArrowRight:a(r,i+1),ArrowUp:a(a(n,o-1),s),ArrowDown:a(a(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var _i={n:()=>ze(1),p:()=>ze(-1),PageDown:()=>Je(1),PageUp:()=>Je(-1)};function Gu(e,t){if(yt(e))return;let n=qu(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(_i,e.key))_i[e.key]();else if(e.key===" "&&te())st(e.shiftKey?Hi(t):[t]);else if(e.key==="s"&&te())Ni(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${l.view.head}"]`)?.focus())}function ju(e){let t=Math.max(...Object.values(l.heads.importance??{}),1e-9),n=ie("heat",Bu*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return u`<span class="tag number" aria-hidden="true" ${A({background:n})}>${o}</span>`}function Vu({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function Uu(e,t){let{head:n}=e,o=l.inspection.result.weights.get(n),s=l.heads.disabled.includes(n),r=l.heads.importance?.[n],i=Vu(e),a=p=>{p&&Lr(p,o,Fu)},c=n.replace(/^(\w)\w+/,"$1");return u`<button
    class="cell ${s?"off":""}"
    aria-pressed=${l.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${p=>Gu(p,n)}
    ><canvas ${bt(a)}></canvas>
    ${Oi()?u`<span class="tag" aria-hidden="true">${c}</span>`:h}
    ${r===void 0?h:ju(r)}</button
  >`}function Ku(e){let t=l.heads.disabled.includes(e),n=Hi(e).filter(o=>o!==e);return u`<button id="toggle" data-unsaved @click=${()=>void st([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>Ni(e)}>Solo</button>
    <button data-unsaved @click=${()=>void de(n)}>Solo in its layer</button>`}function Xu({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e],i=u`, ${v("offset","offset")} ${s?.toFixed(1)}`;return u`<div class="chosen">
    <p class="strong" id="head-words">${sn(e)}</p>
    ${te()?u`<p class="together">${Ku(e)}</p>`:h}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${v("label",t)}; ${v("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${v("highest","highest weight")}
      ${o.toFixed(2)}${s===null?h:i}, mean over
      rows.${r===void 0?h:u` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var zu={entropy:"spread (entropy)",sharpness:"highest weight"};function Ju(){let{sortBy:e,importance:t}=l.heads,n=Object.keys(Zo).filter(s=>s!=="worth"||t),o=s=>u`<option value=${s} ?selected=${s===e}>${zu[s]??s}</option>`;return u`<label
    >Order
    <select id="order" @change=${s=>g({heads:{sortBy:O(s)}})}>
      ${n.map(o)}
    </select></label
  >`}function Yu(e,t){if(!e)return h;let n=`Layer ${e.split(".")[1]}`;return te()?u`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void st(t)}
    >${n}</button
  >`:u`<span class="site">${n}</span>`}function Zu(e){return l.inspection.result?.target!=null?e==="encoder"?"Encoder: the text reads itself":e==="cross"?"Cross: the translation reads the text":"Decoder: the translation reads what is written (grey area: not written yet)":"The text reads itself"}function Qu(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function ep(e,t){let[n]=e[0].layer.split(".");return u`<div class="group">
    ${n?u`<p class="kind hint">${Zu(n)}</p>`:h} ${e.map(o=>tp(o,t))}
  </div>`}function tp({layer:e,heads:t},n){let o=t.map(s=>s.head);return u`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${Yu(e,o)}
    <div class="cells ${e?"":"sorted"}" ${A({"--count":String(t.length)})}>
      ${t.map(s=>Uu(s,s.head===n))}
    </div>
  </div>`}function np(){let{heads:e}=l.inspection.result,{importance:t,importanceByToken:n,disabled:o}=l.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return M("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?We():[]],...e.map(({head:c,label:p,entropy:d,confidence:m,offset:f})=>{let y=t?n[c]??[]:[];return[c,p,d,m,f,s(c),...y]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function Ii(){let e=l.inspection.result;if(!e)return u`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=l.heads,n=e.heads.find(c=>c.head===l.view.head),o=Ci(),s=n?.head??o[0]?.heads[0]?.head,r=u`<button id="rank" @click=${()=>void rt()}>Rank all heads</button>
    <span class="hint">by ${v("worth","worth")}: ${e.heads.length} runs of the model</span>`,i=()=>qe("heads-off.txt",`${t.join(`
`)}
`);return u`<section
    class="panel heads ${W()?"stale":""}"
    aria-labelledby="heads-title"
    ${A({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${Ju()} ${ee()&&te()?r:h}
      ${t.length?u`<button @click=${i}>List of heads that are off</button>`:h}
      ${np()}
    </div>
    ${n?Xu(n):h}
    <div id="heads">${Qu(o).map(c=>ep(c,s))}</div>
    ${Mi(o.flatMap(({heads:c})=>c.map(p=>p.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${te()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":h}
    </p>
  </section>`}var Qo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function Wn(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:Qo(),block:"start"})})}var Wi=150,qt=40,es=84,Bt=Wi-es/2,op=e=>/\.\d+\.\d+$/.test(e);function sp(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&l.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function rp({parts:e}){return Object.keys(e).filter(op).sort((n,o)=>e[o]-e[n])[0]}function ip({name:e,length:t,total:n},o,s){let r=b=>Math.min(es,Math.max(1,es*b/s)),[i,a]=[r(o),r(n)],c=Math.min(qt,r(t)),p=e==="embeddings",d=p?a:i,m=qt/2,f=Bt-i/2,y=`M 0 ${m} C 30 ${m}, ${f-14} ${m}, ${f+6} ${m+4}`;return L`<path class="state" d="M ${Bt-d/2} 0 L ${Bt+d/2} 0
      L ${Bt+a/2} ${qt} L ${Bt-a/2} ${qt} Z"></path>
    ${p?h:L`<path class="added" stroke-width=${c.toFixed(2)} d=${y}></path>`}`}function ap(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:a}=e,c=rp(e),p=c!==void 0&&E(l.view.head)===s,d=()=>{oe(c),Wn(".alignment")},m=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=sp(s),y=u`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${d}
    >${f}</button
  >`;return u`<div class="junction ${p?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?y:f}</span>
    <svg viewBox="0 0 ${Wi} ${qt}" preserveAspectRatio="none" role="img" aria-label=${m}>
      <title>${m}</title>
      ${ip(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${a?u`<bdi class=${a[0]===o?"strong":""}>${$(a[0])}</bdi
            ><span class="number">${(100*a[1]).toFixed(0)} %</span>`:h}
  </div>`}function Di(e,t){if(l.server.storedPage||ct()||!l.inspection.result?.weights.size)return;pr(e);let{stream:n}=l.inspection;if(!n)return u`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:p})=>p)),[r]=o,{token:i,position:a}=r?.parts??{},c=u`The first row has two parts: the embedding of the token, ${i?.toFixed(1)} long, and that of
  its position, ${a?.toFixed(1)} long. So the state knows from the first row on where the token stands. (Vectors
  point in different directions, so lengths do not add up.)`;return u`<div class="captions" aria-hidden="true">
      <span>part</span><span class="state-caption">state</span><span class="number length">adds</span
      ><span>would write</span><span class="number">likely</span>
    </div>
    <div class="stream ${n.cell===Re(e)?"":"stale"}" role="list">
      ${o.map((p,d)=>ap(p,{before:o[d-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      From top to bottom, ${v("stream","the state")} of the place above grows: each attention and each feed-forward
      layer adds a vector of the length beside it. The last columns have the token that the output layer would write
      from the state as it is there, and how likely (the ${v("lens","logit lens")}). Before the last layers this is
      a hint only: the state is made for the layers that follow. At the top it is still the token that was read.
      ${a===void 0?"The embedding has no part for the position.":c}
    </p>`}var lp=5;async function Ve(){ve(),await Bi()}async function Fi(){let{text:e}=l.request,t=j(),n=()=>t!==null&&j()===t&&l.request.text===e&&!l.status.error;await Bi();for(let o of t?.edits??[])n()&&await cp(o);t&&n()&&await up(t,n),j()===t&&!l.status.error&&ve(),g({})}async function cp({sentenceIndex:e,edit:t}){if(!l.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=l.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?Vi(t.position,t.token,t.prefix):$t(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await U()}async function up(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=l.heads;s&&t()&&await Se(),r&&t()&&await rt(),g({heads:{sortBy:i}}),o&&t()&&await Gt(o),n!==null&&T()?.snapshots?.includes(n)&&t()&&await bn(n)}async function Bi(){let{text:e,isHtml:t}=l.request;if(ke("inspect"),!R())return;if(!e.trim())return ke("translate"),g(...tn);if(t)return await pp(e);await P("translate","Translating",async o=>{let s=Ze(),r={...J(),...s,text:e,alternatives:Ye};await qi(r,o,{decoding:s},i=>{let a=Math.max(0,Math.min(l.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null,options:null},view:{hoveredToken:null,sentenceIndex:a}})})})&&k()?.isDone&&await U()}async function pp(e){await P("translate","Translating",async t=>{let n={...J(),...Ze(),text:e,format:"html"},{text:o}=await N("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},uo)})}async function qi(e,t,n,o){let s=l.request.temperature?{}:{n_best:Math.min(l.request.beamSize,lp)},r=[];for await(let{name:i,data:a}of Is({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<a.sentences;c++)r.push({...dt(),index:c,...n});continue}if(i==="error")throw new G(a.status,a.message);if(i==="token"){let c=r[a.sentence];c.text=a.text,c.tokens.push(...a.tokens??[])}else i==="done"&&dp(r,a,n.separator);o(r)}}function dp(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:a,score:c,source:p,ids:d,n_best:m=[]}=r,f=Math.max(t.indexOf(a,s),s),y={text:a,score:c,source:p,ids:d,nBest:m,isDone:!0,separator:o??t.slice(s,f)};_o(Object.assign(e[i],y),r),s=f+a.length})}function Gi(){let e=Object.values(l.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var ji=e=>!ht(e)||R()&&e===Gi();async function ts(e,t){let n=k();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);V(),await Dn(async()=>{t===Gi()?await $t({text:Z(o),ids:n.ids.slice(0,e)}):await Vi(e,t,Z([...o,t]))})}async function Dn(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),ot(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function Vi(e,t,n){let o=k(),{sentences:s}=l.output,{sentenceIndex:r}=l.view;if(!o?.isDone)return;let{source:i,separator:a}=o,c=Ze(),p={...J(),...c,text:i,prefix:n,split:!1,alternatives:Ye},d={kind:"prefix",position:e,token:t,prefix:n},m={source:i,separator:a,decoding:c,prefix:n,original:o.original??o,edit:d},f=s,y=await P("translate","Decoding again",async w=>{await qi(p,w,m,([S])=>{f=s.with(r,S),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&l.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),y&&k()?.isDone&&await U()}async function ns(){let{original:e}=k()??{};e&&(V(),await Dn(async()=>{let{sentenceIndex:t,outputPosition:n}=l.view;g({output:{sentences:l.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await U()}))}async function Ui(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...J(),text:e.source,...s,alternatives:Ye},i=await N("score",r,o),a={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return _o(a,{...i,tokens:i.tokens.slice(0,-1)}),a}async function Gt(e){let t=k(),{compared:n}=l.output;if(!t||n&&$n(n,e))return g({output:{compared:null}});await P("compare","Reading",async o=>{g({output:{compared:await Ui(t,e,o)}})})}async function $t(e){let t=k(),{sentenceIndex:n}=l.view;if(!t)return;await P("translate","Reading",async s=>{let r=await Ui(t,e,s),i=Math.max(0,Math.min(l.view.outputPosition,r.tokens.length-1));g({output:{sentences:l.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await U()}var Ji=.55,hp=-3,xt=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,os=e=>({background:e===null?"":ie("doubt",Ji*Math.min(1,e/hp))});function Yi(e,t){let n=l.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&U()}function mp(e,t,n){let o=l.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||yt(e)||(e.preventDefault(),Yi(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function Zi({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function fp(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=l.view,a=l.view.sentenceIndex===n,c=a&&i===t,p=t===0&&(!a||i>=e.tokens.length),d=Zi(e,r,t);return u`<button
    class="token ${o?"new":""} ${d?"prefix-end":""} ${s}"
    ${A(os(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||p?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":xt(r.log_prob)}
    title=${d?"written by you":h}
    @click=${()=>Yi(n,t)}
    @keydown=${m=>mp(m,n,t)}
    @pointerenter=${m=>yp(m,n,t)}
    @pointerleave=${Qi}
    dir="auto"
    >${$(r.token)}</button
  >`}var gp=200,bp=280,Ki=8,Fn=0;function yp(e,t,n){if(e.pointerType==="touch"||(clearTimeout(Fn),!l.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function Qi(){clearTimeout(Fn),Fn=window.setTimeout(()=>{l.view.hoveredToken&&g({view:{hoveredToken:null}})},gp)}function Bn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=l.view;if(!t)return h;let{sentenceIndex:s,position:r,left:i,bottom:a}=t,c=l.output.sentences[s],p=c?.tokens[r];if(!p||s===n&&r===o)return h;let d=y=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,y)},m=innerWidth-bp-Ki,f={left:`${Math.max(Ki,Math.min(i,m))}px`,top:`${a}px`};return u`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(Fn)}
    @pointerleave=${Qi}
    ${A(f)}
  >
    ${ea(c,p,d,-1)}
  </div>`}function ea(e,t,n,o){let s=(r,i)=>{let a=r===t.token;return u`<button
      class="bar ${a?"own":""}"
      tabindex=${o}
      ?disabled=${a||!e.isDone||!ji(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${A({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${xt(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function qn(e){let t=k(),{outputPosition:n}=l.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return h;let s=$(o.token);return u`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${ea(t,o,r=>void e(n,r),0)}
  </div>`}var wp=e=>u`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void ns()}
    >✕</button
  >`,ss=(e,t)=>t&&e.startsWith("▁")?" ":h;function Xi(e,t){let{original:n}=e;if(!n||!e.isDone)return h;let o=u`<button id="take-back" data-unsaved @click=${()=>void ns()}>Take it back</button>`;return u`<p class="before hint">
    before: <bdi>${Be(n.text,e.text,"deleted")}</bdi> ${t===l.view.sentenceIndex?o:h}
  </p>`}function zi(e,t,n){if(!t.length)return h;let o=e==="Given"?e:"Written by the model";return u`<div class="run ${e.toLowerCase()}" role="group" aria-label=${o}>
    <span class="run-name" aria-hidden="true">${o}</span>
    <p class="output" dir=${n}>${t}</p>
  </div>`}function kt(e,t){let n=Oo(e),o=e.tokens.map(p=>p.token),s=!e.isDone&&l.status.busy.translate,r=o.map((p,d)=>{let m=mt(o,d),f=fp(e,d,t,n[d],m),b=e.isDone&&Zi(e,e.tokens[d],d)&&t===l.view.sentenceIndex;return u`${ss(p,d)}${f}${b?wp(p):h}`}),i=Ae(Z(o)),a=`Sentence ${t+1}`,{numGiven:c}=e;if(c){let p=[zi("Given",r.slice(0,c),i),zi("Written",r.slice(c),i)];return u`<div data-sentence=${t}>${p}</div> ${Xi(e,t)}`}return u`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${a}>
      ${r}${s?u`<span class="caret"></span>`:h}
    </p>
    ${Xi(e,t)}`}function vt(){let e=l.output.sentences.some(s=>Oo(s).some(Boolean)),t=k()?.edit?.kind==="prefix",n=u`<span><u class="new">underlined</u>: other than before</span>`,o=u`<span><span class="token prefix-end">framed</span>: written by you</span>`;return u`<p class="legend" id="doubts">
    <span>${v("probability","the model was sure")} ${Q("doubt",Ji)} unsure</span>
    ${e?n:h} ${t?o:h}
  </p>`}function Tt(){let e=l.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let a=[n,i,o,s];return r.length?r.map(c=>[...a,...c]):[[...a,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var $p=900,ta=0;function na(){g({view:{isPlaying:!l.view.isPlaying}}),clearInterval(ta),l.view.isPlaying&&(ta=window.setInterval(xp,$p))}function xp(){let e=(l.inspection.sentence?.tokens.length??1)-1;l.view.outputPosition>=e?na():g({view:{outputPosition:l.view.outputPosition+1}})}var kp=e=>e?`layer ${e-1}`:"embeddings";function vp(e,t,n){let o=(s,[r,i])=>u`<div class="change" role="listitem">
      <span>${kp(s)}</span
      ><span class="track"><span ${A({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return u`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${v("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function Tp(e,t){return M("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],a)=>[a,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:l.inspection.stream?.result.sublayers??null}))}function Sp(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=l.view,a=typeof r=="number"?u` (<span id="probability">${xt(r)}</span>)`:h,c=e.tokens.map(w=>w.token),p=u`<bdi class="strong">${$(s)}</bdi>${a}`,d=!n&&l.inspection.result.target!==null,m=()=>se(jo(c,t),"about",a),f=u`${p}; this place is ${se(Vo(c,t))}`,y=d?m():n?f:p,b=`in the ${d?"translation":"text"}, counted from 1`;return u`<div class="controls">
    <button id="play" @click=${na} aria-label=${i?"Pause":"Play"}
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
      @input=${w=>g({view:{outputPosition:Number(O(w))}})}
    />
    <span>token ${t+1} of ${o+1} ${b}: ${y}</span>
  </div>`}function Rp(){let e=t=>{let n=`${H}${t}`,o=()=>{oe(n),Wn(".alignment")};return u`<button aria-pressed=${l.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return u`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${v("flow","through all layers")}:</span>
    ${we.map(e)}
  </p>`}function oa(){let{sentence:e,result:t,flow:n}=l.inspection;if(!t||!e)return h;let{storedPage:o}=l.server,{lens:s,target:r,token_log_probs:i}=t,a=s.length>0,c=Math.max(0,Math.min(l.view.outputPosition,e.tokens.length-1)),p=r===null&&i.length>0,d=e.tokens[p?c+1:c]?.token,m=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&l.view.head.startsWith(H);return u`<section class="panel layers ${W()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${a?Tp(e,s):h}
    </div>
    ${Sp(e,c,p)}
    ${Di(c,d)??(a?vp(s,c,d):u`<p class="hint">${m}</p>`)}
    ${o?h:Rp()}
    ${f?u`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:h}
  </section>`}var is=332,Ue=120,Gn=16,Ke=17,la=6,Vn=14,Ap=3*Vn+4,Pp=2*Vn+4,sa=12;function rs(e){let t=[...l.inspection.result.weights.keys()];return new Set(t.filter(n=>n.startsWith(`${e}.`)).map(E)).size}function Ep(){let e=l.inspection.result.target!==null,t=(o,s)=>{let r=s.filter(([a])=>rs(a)),i=Math.max(0,...r.map(([a])=>rs(a)));return Array.from({length:i},(a,c)=>[...r.map(([p,d])=>({site:`${p}.${c}`,label:d})),{site:`${o}.${c}.feed_forward`,label:"feed-forward"}])};if(!e){let o=rs("decoder")?"decoder":"encoder";return[{name:o,x:(is-Ue)/2,layers:t(o,[[o,"reads the text"]])}]}let n=t("decoder",[["decoder","reads what is written"],["cross","reads the text"]]);return[{name:"encoder",x:Gn,layers:t("encoder",[["encoder","reads itself"]])},{name:"decoder",x:is-Ue-Gn,layers:n}]}function jn(e){let{head:t}=l.view;return l.inspection.result.weights.has(t)?E(t)===e:t.startsWith(H)?!1:t.startsWith(K)?t===`${K}${e}`:e.startsWith(`${Ee().kind}.`)&&e.split(".").length===2}var ra=e=>e.length>sa?`${[...e].slice(0,sa-1).join("")}…`:e;function Mp({x:e,layers:t},n){let o=n;return t.flatMap(s=>{let r=s.map(i=>({...i,x:e,y:o-=Ke}));return o-=la,r})}function ia({site:e,label:t,x:n,y:o}){return L`<g class=${jn(e)?"band here":"band"} data-site=${e}>
    <rect x=${n} y=${o} width=${Ue} height=${Ke-2} rx="3"></rect>
    <text x=${n+Ue/2} y=${o+Ke/2-1} dy="0.35em">${t}</text>
  </g>`}function _p({name:e,x:t,layers:n},o,s){let r=s?t+Ue+Gn/2:t-Gn/2,i=0;return n.map((a,c)=>{let p=o.slice(i,i+=a.length),d=(p[0].y+p.at(-1).y+Ke)/2-1,m=p.some(({site:f})=>jn(f))?"number here":"number";return L`<text class=${m} data-layer="${e}.${c}" transform="translate(${r} ${d}) rotate(-90)"
      dy="0.35em">layer ${c}</text>`})}var aa=(e,t,n)=>e.map((o,s)=>L`<text class="side" x=${t+Ue/2} y=${n+(s+.5)*Vn} dy="0.35em">${o}</text>`);function Op(e,{site:t,x:n,y:o}){let[s,r]=[e.x+Ue,e.y+Ke/2],i=(s+n)/2,a=o+Ke/2-1;return L`<path class=${jn(t)?"reads here":"reads"}
    d="M ${s} ${r} C ${i} ${r}, ${i} ${a}, ${n-6} ${a}"></path>
    <path class=${jn(t)?"tip here":"tip"} d="M ${n-7} ${a-4} l 7 4 l -7 4 Z"></path>`}function Cp(e){let t=Ep(),n=t.map(({layers:d})=>d.flat().length*Ke+Math.max(0,d.length-1)*la),o=Ap+Math.max(...n),[s,r]=t.map(d=>Mp(d,o)),i=ge(e,e.row),a=s.at(-1),c=({name:d,x:m},f)=>{let y=d==="decoder"?i:null,w=r!==void 0&&d==="decoder"?"what is written":"the text",S=y?.read==null?[w]:["has read up to",ra($(y.read))],_=y?[d,"about to write",ra($(y.writes??"…"))]:[d],x=f.at(-1)?.y??o;return L`${aa(S,m,o+2)} ${aa(_,m,x-4-_.length*Vn)}`},p=r?.filter(d=>d.site.startsWith("cross."))??[];return u`<svg
    id="map"
    viewBox="0 0 ${is} ${o+Pp}"
    role="img"
    aria-label="The stacks of the model. Lit: ${l.view.head}"
  >
    ${s.map(ia)} ${r?.map(ia)} ${a?p.map(d=>Op(a,d)):h}
    ${t.map((d,m)=>c(d,m?r:s))}
    ${t.map((d,m)=>_p(d,m?r:s,m>0))}
  </svg>`}function Lp(e){let t=ge(e,e.row),n=Number(E(l.view.head).split(".").at(-1)),o=n?`layer ${n-1}`:"the embeddings",s=t?u`the state of the place that is ${se(t)}`:u`the state of <bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,r="Its keys and values come from the encoder: its last layer has a state for each token of the text.",i=`Its keys and values come from the same layer: the states of ${e.kind==="decoder"?"all tokens that were read up to there":"all tokens"}, as they are after ${o}.`;return u`<p id="origins">
    The query of this head comes from ${s}. ${e.kind==="cross"?r:i}
  </p>`}function ca(){let{result:e}=l.inspection,t=Ee();if(!e||!t||e.arch==="rnn")return h;let n=u`<p id="origins">
    What is shown now is no head: it goes through all layers, from the text to what is written.
  </p>`,o=e.weights.has(l.view.head);return u`<section class="panel map ${W()?"stale":""}" aria-labelledby="map-title">
    <div class="head"><h2 id="map-title">Where it stands</h2></div>
    ${Cp(t)} ${o?Lp(t):t.kind==="flow"?n:h}
  </section>`}var ua=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function Hp({trace:e}){let t=ua(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,a)=>{let{fate:c,token:p,id:d}=i,m=i.parent===null?t:n[i.parent];if(!m||c==="dropped"&&!r.has(i))return;let f=c==="finished",y=f?m.path:[...m.path,p],b=f?m.ids:[...m.ids,d],w={...ua(),id:`${o}.${a}`,step:o+1,token:p,candidate:i,path:y,ids:b};return m.children.push(w),w})}return t}function as(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(a=>as(a,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var jt=null;function pa(e,t){if(jt?.trace===e&&jt.ids===String(t))return jt;let n=Hp(e),o=e.trace.length,s=as(n,t,o);s||as(n,e.sentences[0]?.ids??[],o);let r=[],i=0,a=(p,d,m)=>{let f={node:p,parent:d,x:8+84*m,y:32*(i+1)};r.push(f),p.children.length||(i+=1);let y=[...p.children].sort((b,w)=>Number(w.isOnBestPath)-Number(b.isOnBestPath));for(let b of y)a(b,f,m+1)};a(n,null,0);let c=Math.max(...r.map(p=>p.x))+84;return jt={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},jt}function da({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function ha({nodes:e},t,n){let o=e.filter(a=>a.x===t.x).sort((a,c)=>a.y-c.y),[s]=e.filter(a=>a.parent===t).sort((a,c)=>a.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var ma=9,Np={active:"went on",finished:"ended",dropped:"was dropped"};function Ip(e){let t=[...$(e)];return t.length>ma?`${t.slice(0,ma-1).join("")}…`:t.join("")}function fa({path:e,ids:t}){e.length&&(V(),$t({text:Z(e),ids:t}))}async function Wp({path:e,ids:t}){await Gt({text:Z(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function Dp({node:e}){let{fate:t,score:n}=e.candidate,o=Z(e.path),s=String(e.ids)===String(k()?.ids),r=u`<button id="open" @click=${()=>fa(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void Wp(e)}>Compare with the chosen one</button>`;return u`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${Np[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:h}
  </p>`}function Fp(e,t,n){let s=e.key==="Enter"||e.key===" "?n:ha(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var ga=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function Bp(e){return L`<path class="branch ${ga(e)}" d=${da(e)}></path>`}function qp(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:a}=o.candidate;return L`<g class="node ${ga(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===l.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${a.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>fa(o)}
      @keydown=${c=>Fp(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${Ip(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${a.toFixed(2)}</text>
    <title>${Z(o.path)} (${a.toFixed(3)})</title></g>`}function Gp(e,t){let n=e.nodes.slice(1),o=t??n[0];return u`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(Bp)} ${n.map(s=>qp(e,s,s===o))}
    </svg>
  </div>`}function jp(e,t,n){if(t)return u`<p class="hint">This is the search for another translation.</p>`;if(n)return h;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return u`<p class="hint" id="unsearched">${o}</p>`}function Vp(e,t,n){let o=pa(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===l.search.candidate),r=u`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return u`${Gp(o,s)} ${s?Dp(s):h}
    ${jp(t,n,o.isFound)} ${t.prefix?r:h}
    <p class="hint">
      From left to right, a step for each token; below each token is its score, the log-probability of all up to there.
      The top row is <span class="sign best">${o.isFound?"the chosen hypothesis":"the best hypothesis"}</span>.
      Others <span class="sign dropped">were dropped</span> (of each step, the best two are drawn) or
      <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to compare it.
    </p>`}function Up(e){return M("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:a,fate:c},p)=>[o+1,p,s,r,i,a,c]))],()=>e)}function ba(){let e=k(),{trace:t}=l.search;if(!l.inspection.result||!e||!R())return h;let n=t!==null&&t.requestKey!==lt(e),o=u`<p class="hint">
    Beam search keeps the ${l.request.beamSize} best beginnings at each step. This draws them, and the best that it
    dropped.
  </p>`;return u`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${v("search","Search")}</h2>
      <button id="search" @click=${()=>void Se()}>${t?"Search again":"Show the search"}</button>
      ${t?Up(t):h}
    </div>
    ${t?Vp(t,e,n):o}
  </section>`}function ya(){let e=T()?.snapshots??[];if(!e.length||!R()||!k()?.isDone)return h;let{snapshot:t,result:n}=l.inspection,o=t===null?e.length:e.indexOf(t),s=a=>{let c=e[Number(O(a))];c===void 0?U():bn(c)},r=t===null?"the model itself":u`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=u`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return u`<section class="panel snapshots ${W()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${v("snapshot","While it was trained")}</h2>
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
  </section>`}function wa(){let e=l.inspection.result,t=k(),{note:n,says:o}=l.server.storedPage;return u`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${M("text",["#text",".stored .output[data-sentence]"],Tt,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?u`<p dir="auto" id="says">${o}</p>`:h} ${kt(t,0)}
    ${e.token_log_probs.length?vt():h}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?u`<p class="hint" id="note">${n}</p>`:h}
  </section>`}function $a(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function Kp(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function Un(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,a=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...dt(),source:t,text:n??t,isDone:!0,tokens:(a?r.slice(0,-1):r).map((p,d)=>({token:p,log_prob:s[d-c]??null,alternatives:[]}))}}async function Xp({packed:e,bytes:t,parts:n}){let o=await Kp(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,a=0;for(let{heads:c,rows:p,keys:d}of n)for(let m of c){let f=a+p*d;i.set(m,{rows:p,keys:d,values:s.subarray(a,f),scale:r-1,forbidden:r}),a=f}return i}async function xa(e){let t=await Xp(e),n={...e.inspection,request:{},weights:t},o=Un(n),{text:s}=n;dn(),Ie({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=l.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var ka=[20,50,100,200];async function zp(e,t,n){let o={model:T().name,prompt:e,...t,logprobs:Ye,echo:!0},{choices:s,usage:r}=await N("v1/completions",o,n),{text:i,logprobs:a}=s[0];if(!a)throw new Error("The server must send the log-probabilities that were asked for.");let c=a.tokens.map((p,d)=>({token:p.replaceAll(" ","▁"),log_prob:a.token_logprobs[d]??null,alternatives:Object.entries(a.top_logprobs[d]??{}).sort((m,f)=>f[1]-m[1])}));return{text:i,ids:a.token_ids,tokens:c,numGiven:r.prompt_tokens}}function Jp({ids:e,numGiven:t},n){let o=e.findIndex((s,r)=>r>=t||s!==n[r]);return o<0?t:o}async function Yp(e,t){let{name:n,max_tokens:o}=T(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await N("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function ls(e=null){let{text:t}=l.request,n=e?.prefix??t,o=e&&(k()?.original??k()??null);await P("translate","Writing",async s=>{let{name:r,max_tokens:i}=T(),{temperature:a,seed:c,maxTokens:p}=l.request,d=Math.min(p,await Yp(n,s));if(d<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let m={max_tokens:d,temperature:a,seed:c},{text:f,tokens:y,ids:b,numGiven:w}=await zp(n,m,s),S=b.slice(0,i??b.length),_=await tt({model:r,text:f,ids:S},s),x=Un(_).tokens,B={...dt(),source:n,text:f,ids:S,decoding:m,original:o,edit:e,isDone:!0,numGiven:o?Jp(o,S):Math.min(w,S.length),tokens:x.map((ce,ye)=>({...ce,alternatives:y[ye]?.alternatives??[]}))},q=Math.max(0,Math.min(e?.position??0,x.length-1));g({output:{sentences:[B],sourceText:t,attribution:null,options:{temperature:a,seed:c,maxTokens:p}},view:{sentenceIndex:0,outputPosition:q,hoveredToken:null},search:{trace:null}}),It(_,B)}),l.heads.disabled.length&&!I()&&await ne()}async function cs(e,t){let n=k().tokens.slice(0,e),o=Z([...n.map(s=>s.token).filter(s=>!ht(s)),t]);V(),await Dn(()=>ls({kind:"prefix",position:e,token:t,prefix:o}))}async function Zp(){let{text:e}=l.request;await P("translate","Reading",async t=>{let n=await tt({model:T().name,text:e},t),o=Un(n),s=n.predicted?.length?await N(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,options:null,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),It(n,o)}),l.heads.disabled.length&&!I()&&await ne()}async function Kn(){ve(),V(),await Vt()}async function Vt(){if(R())return await Fi();let e=j(),{outputPosition:t}=l.view,n=T()?.arch==="decoder";await(n?ls():Zp());for(let{edit:o}of e?.edits??[])j()===e&&o.kind==="prefix"&&n&&await ls(o);if(e?.ranksHeads&&j()===e&&await rt(),e&&j()===e){ve();let o=(k()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function Xn(){let[e]=T()?.examples??[];e&&!l.request.text&&g({request:{text:e},output:{isExample:!0}})}function va(e){let t=T();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...l.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),Xn(),us(t),l.request.text.trim()&&Kn()}function us(e){let t=T(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==R()||!l.request.text.trim())&&g(...tn)}var zn=[0,.5,.8,1,1.3],Qp=/^und-und(-x-|$)/;function Jn(){let{modelName:e}=l.request,{models:t}=l.server;if(t.length<2)return u`<span class="hint">${Qp.test(e)?h:e}</span>`;let n=o=>u`<option value=${o} ?selected=${o===e}>${o}</option>`;return u`<select id="model" aria-label="Model" @change=${o=>va(O(o))}>
    ${t.map(o=>n($e(o)))}
  </select>`}function Me(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,p)=>c-p),a=c=>u`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return u`<select id=${e} aria-label=${s} @change=${c=>o(Number(O(c)))}>
    ${i.map(a)}
  </select>`}var Yn=()=>l.status.busy.translate?u`<button @click=${()=>ke("translate")}>Stop</button>`:h;var ed=[0,1,2,5,10,50],td=1,ps=e=>g({trial:{sampling:{...l.trial.sampling,...e}}}),Ta=e=>`${(100*e).toFixed(td)} %`;function Sa(e,t,n,o){let s=r=>{let i=Number(O(r));ps(e==="next-temperature"?{temperature:i}:{topP:i})};return u`<label
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
  >`}function nd({tokens:e,num_others:t,others:n,others_drawn:o}){let s=(i,a,c)=>u`<tr>
      <td>${i}</td>
      <td class="number">${Ta(a)}</td>
      <td class="number">${Ta(c)}</td>
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
  </table>`}function od(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,{beamSize:s}=l.request,[r]=e.tokens,i=u`A ${v("beam-search",`beam of ${s}`)} tries no more than the first ${s} after this
  beginning, and goes on with the best of all its beginnings.`,a=e.num_drawable.toLocaleString("en");return u`<p>
      Greedy search takes <bdi class="strong">${$(r?.token??"")}</bdi>.
      ${R()&&s>1?i:h} Sampling draws one of
      <span class="strong number" id="drawable">${a}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${Sa("next-temperature","temperature",t,2)}
      <label
        >top k
        ${Me("next-top-k",ed,n,c=>ps({topK:c}),"Top k",c=>c||"all")}</label
      >
      ${Sa("next-top-p","top p",o,1)}
    </div>
    ${nd(e)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`}var sd=()=>R()?l.view.outputPosition:l.view.outputPosition-1;function Zn(){let{sentence:e,result:t,next:n}=l.inspection,o=sd();if(!ee()||!t||!e||e!==k()||o<0)return h;let{isOpen:s}=l.trial.sampling,r=s?dr(o):"",i=s&&n?.cell!==r;return u`<details
    id="next-token"
    ?open=${s}
    @toggle=${a=>ps({isOpen:a.target.open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${i?"stale":""}>${n&&s?od(n.result):h}</div>
  </details>`}var Ra=.6,be=()=>T()?.arch==="decoder",rd=({label:e,prob:t})=>u`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${A({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function id(){let e=l.inspection.result?.predicted,{attribution:t}=l.output;if(!e?.length)return h;let n=T()?.task==="classify"?"the likeliest class":"the chosen token",o=u`<p class="legend">
      <span>${v("moved","moved it")} little ${Q("heat",Ra)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return u`<div id="predicted" role="list">${e.map(rd)}</div> ${t?o:h}`}function ad(){let e=k();if(!e||!l.inspection.result)return h;let{outputPosition:t}=l.view,n=l.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let a=o?.[i]??0;return u`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${a.toFixed(3)}
      ${A({background:o?ie("heat",Ra*a):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${$(r)}</button
    >`};return u`<p class="output" id="moved" dir=${Ae(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function ld(){let{text:e,maxTokens:t,temperature:n}=l.request,o=Me("length",ka,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=Me("temperature",zn,n,i=>g({request:{temperature:i}}),"Temperature"),r=u`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return u`<div class="controls">
    <button class="primary" @click=${()=>void Kn()} ?disabled=${!e.trim()&&!be()}
      >${be()?"Continue":"Read"}</button
    >
    ${Yn()} ${be()?r:h}
  </div>`}function cd(e){let t=["#output","#doubts",".alternatives"];if(be())return M("continuation",t,Tt,()=>l.output.sentences);let n=l.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return M("predicted",t,o,()=>({predicted:l.inspection.result?.predicted,tokens:s,moved:l.output.attribution?.shares}))}function ud(e){return be()?e?kt(e,0):u`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:u`${id()} ${ad()}`}function Aa(){let e=k(),t=be()&&e!==void 0,n=!!l.status.busy.translate,o=s=>{In(s)&&Kn()};return u`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${Jn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${be()?"Text to continue":"Text to read"}
          placeholder=${be()?"Write how it begins.":"Write or paste a text."}
          .value=${l.request.text}
          @input=${s=>g({request:{text:O(s)}})}
          @keydown=${o}
        ></textarea>
        ${ld()}
      </div>
      <div>
        <div class="head">
          <h2>${be()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&l.inspection.result?cd(e):h}
        </div>
        <div class=${F()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${ud(e)}</div>
          ${t?u`${vt()} ${qn(cs)} ${Zn()}`:h}
        </div>
        ${t?Bn(cs):h}
      </div>
    </div>
  </section>`}var Pa=async()=>{l.heads.disabled.length&&await de([])},Qn=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:pe(),showsComputation:!1}}),await Pa()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await oe(pe())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await hd(()=>l.inspection.lookup!==null&&!Ct("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:pe()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>de([pe()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(k()?.tokens.length??1)-1)}}),await Pa()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:Se,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],pd=5e3,dd=20;async function hd(e){let t=performance.now()+pd;for(;!e()&&!l.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,dd))}function md(){let{disabled:e,undoStack:t,sortBy:n}=l.heads,{sentences:o,sourceText:s}=l.output;return{view:{...l.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...l.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var hs=null;async function Ea(){let e=T()?.examples?.[0],t=l.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(k()?.isDone&&l.output.sourceText!==""&&!F())||!l.inspection.result||I())&&(t||(V(),g({request:{text:e}})),await Ve(),!k()?.isDone)||(hs=md(),await ms(0))}async function ds(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=hs,r=o.sourceText===l.output.sourceText,i=l.inspection.sentence===(o.sentences[e.sentenceIndex]??null);hs=null;let{isPlaying:a}=l.view,{showsComputation:c,groupsWords:p}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:a,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:p}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await U():await ne(),r&&e.head.startsWith(H)&&await oe(e.head),ot(()=>scrollTo({top:s}))}async function ms(e){let t=Qn[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),ot(()=>{if(l.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),gd(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var fd=12;function gd(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(fd,(s-o)/2)),behavior:Qo()})}function Ma(){let e=l.view.tourStop,t=e===null?void 0:Qn[e];if(e===null||!t||!R())return h;let n=e===Qn.length-1,o=r=>{r.key==="Escape"&&ds()},s=u`<button id="tour-back" @click=${()=>void ms(e-1)}>Back</button>`;return u`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${Qn.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void ds()}>End</button>
      <span>
        ${e?s:h}
        <button id="tour-next" class="primary" @click=${()=>void(n?ds():ms(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}var _a=50,bd=400;async function Oa(e){await P("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let p=0;p<s.length;p+=_a){let d=s.slice(p,p+_a),m={...J(),...Ze(),texts:d,format:o?"html":"text"},{translations:f}=await N("translate",m,t);f.forEach((y,b)=>{let w=p+b+1;if("error"in y)throw new G(bd,`Line ${w} of ${e.name}: ${y.error.message}`);r.push(y.text)}),nt("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,a]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${T()?.target??"translated"}${a??".txt"}`;qe(c,r.join(`
`),o?"text/html":"text/plain")})}var yd=300,wd=[1,2,3,5,8,12],Ha=/<\/?[a-z][^>]*>/i,Ca=0;function $d(e){let t=O(e);g({request:{text:t,isHtml:l.request.isHtml&&Ha.test(t)},output:{isExample:!1}}),clearTimeout(Ca),Ca=window.setTimeout(()=>{l.request.text===t&&(ut(),l.request.translatesWhileTyping&&Ve())},yd)}function eo(e){g({request:e}),Ve()}function Na(){V(),Ve()}function xd(e,t){let{text:n,score:o}=e,s=u`<span class="number">${o.toFixed(3)}</span>`;if(!n)return u`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=l.output,i=r!==null&&$n(e,r),a=()=>{V(),$t(e)},c=u`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void Gt(e)}
    >compare</button
  >`;return u`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${a}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?h:c}
  </li>`}var La=!1;function kd(){let e=k();if(!e?.isDone)return h;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(a=>a.text===r)===i);if(n.length<2)return h;let o=n.length-1;return u`<details class="nbest" ?open=${La} @toggle=${r=>{La=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${v("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>xd(r,e))}
    </ol>
  </details>`}function vd(){let e=k(),{compared:t}=l.output;if(!e?.isDone||!t)return h;let n=({tokens:r})=>r.reduce((i,a)=>i+(a.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},a)=>u`${ss(r,a)}<span
          class="token ${mt(o,a)}"
          dir="auto"
          title=${xt(i)}
          ${A(os(i))}
          >${$(r)}</span
        >`);return u`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${Ae(t.text)}>${s}</p>
    <p dir="auto">${Be(t.text,e.text)}</p>
  </div>`}function Td(){return u`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&Oa(o),n.value=""}}
  /></label>`}function Sd(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=l.tokenCounts;if(e===null)return h;let s=o===1?"1 sentence is":`${o} sentences are`;return u`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${v("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function Rd(){let{text:e,temperature:t,seed:n,isHtml:o}=l.request,s=u`<button id="again" @click=${()=>eo({seed:n+1})}>Draw again</button>`,r=u`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>eo({isHtml:me(i)})}
    />
    as HTML</label
  >`;return u`${t&&e.trim()?s:h} ${Ha.test(e)?r:h}`}function Ad(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=l.request,s=Me("beam",wd,n,i=>eo({beamSize:i,temperature:0}),"Beam"),r=Me("temperature",zn,o,i=>eo({temperature:i}),"Sampling",i=>i||"off");return u`<div class="controls">
    <button class="primary" @click=${Na} ?disabled=${!e.trim()}>Translate</button>
    ${Yn()} ${Rd()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:me(i)}})}
          />
          while typing</label
        >
        <span class="together">${v("beam","Beam")} ${s}</span>
        <span class="together">${v("sampling","Sampling")} ${r}</span>
        ${Td()} ${Sd()}
      </div>
    </details>
  </div>`}function Pd(){let e=T()?.examples??[];if(!(l.output.isExample||!l.request.text)||!e.length)return h;let n=o=>{V(),g({request:{text:o},output:{isExample:!1}}),ut(),Ve()};return u`<p class="hint">
    ${l.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===l.request.text?h:u`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function Ed(){let{html:e,sentences:t}=l.output;return e?u`<pre class="html">${e}</pre>`:t.length?t.map(kt):u`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function Md(){let{html:e,sentences:t}=l.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:a})=>`${i??""}${a}`).join(""),s=()=>M("translation",["#output","#doubts",".alternatives"],Tt,()=>t),r=u`<button id="copy" @click=${()=>void mn(o())}
    >${l.status.notice===ko?"Copied":"Copy"}</button
  >`;return u`${n?r:h} ${t.some(i=>i.isDone)?s():h}`}function _d(){let{sentences:e}=l.output,t=!!l.status.busy.translate,n=F()||t&&e.every(s=>s.isDone),o=u`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return u`<div>
    <div class="head">
      <h2>Translation</h2>
      ${Md()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${Ed()}</div>
      ${F()&&!t?o:h} ${e.length?vt():h}
      ${qn(ts)} ${Zn()} ${kd()} ${vd()}
    </div>
    ${Bn(ts)}
  </div>`}function Ia(){let e=t=>{In(t)&&Na()};return u`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${Jn()}
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
          @input=${$d}
          @change=${or}
          @keydown=${e}
        ></textarea>
        ${Ad()} ${Pd()}
      </div>
      ${_d()}
    </div>
  </section>`}var Fa="regard-theme";function Od(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(Fa,o)}catch{}g({})}function Cd(){return u`<form class="key" @submit=${t=>{t.preventDefault(),Hs(document.querySelector("#key").value),fs()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function Ld(){let e=()=>u`${hi()} ${fi()}
      <div class="column">${Ii()} ${Gr()}</div>
      <div class="stacked">${ca()} ${vi()}</div> ${oa()} ${Ri()}
      ${Pi()} ${ya()}`;return l.server.storedPage?u`${wa()}${e()}`:l.server.models.length?R()?u`${Ia()}${e()}${ba()}`:u`${Aa()}${l.inspection.result?e():h}`:h}var Hd=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function Nd(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return u`<nav class="skips" aria-label="Go to a part of the page">
    ${Hd.map(([t,n])=>u`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function Id(){return l.server.storedPage?"What the heads look at":R()||!l.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function Wd(){return location.protocol.startsWith("http")&&(k()||l.output.html)?u`<button
    id="share-link"
    title="Copy a link to exactly what is shown: the text, options, head, and words that you wrote"
    @click=${()=>void mn(Js(),hn)}
    >${l.status.notice===hn?"Copied":"Share"}</button
  >`:h}function Dd(){let e=Object.values(l.status.busy).at(-1),t=u`<button id="tour" @click=${()=>void Ea()}>Explain</button>`;return u`<header>
    <h1>Regard</h1>
    <p class="hint">${Id()}</p>
    <span class="said" role="status">${l.status.notice}</span
    ><span class="status" role="status">${e?u`<span class="spinner"></span>${e} …`:h}</span>
    ${R()?t:h} ${Wd()}
    ${l.server.storedPage?h:u`<a href="docs">API</a>`}
    <button class="theme" @click=${Od} aria-label="Light or dark">◐</button>
  </header>`}function Fd(){let{error:e,needsApiKey:t}=l.status;if(!e)return h;let n=u`<button @click=${()=>void bo()}>Try again</button>`;return u`<p class="error" role="alert">${e} ${t?h:n}</p>`}function Bd(){return u`${Nd()} ${Dd()} ${Fd()}
    <main>${l.status.needsApiKey?Cd():h} ${Ld()}</main>
    ${Ma()}`}function Ut(){Qs();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(l.status.busy).length>0),Es(Bd(),e)}async function fs(){await fr(),Ba(),Xn(),l.request.text&&l.server.models.length&&(ut(),await Vt())}async function qd(){if(!l.server.models.length||l.status.needsApiKey)return await fs();(F()||!k()||l.output.sentences.some(t=>!t.isDone))&&!(l.output.html&&!F())?l.request.text.trim()&&(ut(),await Vt()):I()||!l.inspection.result?await U():l.heads.disabled.length&&l.heads.ablatedSentence!==l.inspection.sentence?await ne():g({})}function Gd(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function jd(){try{return localStorage.getItem(Fa)}catch{return null}}var Ba=()=>{document.body.dataset.ready="yes"};function Vd(){if(rr())return;let e=T(),t=xo();g(t,j()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),Xn(),us(e),Vt()}var Wa=jd();Wa&&(document.documentElement.dataset.theme=Wa);po(Ut);po(sr);addEventListener("resize",Ut);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Ut);Object.assign(globalThis,{regard:{state:l,matrixLayout:pi,unmatchedWords:er}});var Da=$a();Da?(Gd(),xa(Da).then(()=>{Ut(),Ba()})):(dn(),Ao(),Bs(qd),addEventListener("hashchange",Vd),Ut(),fs());})();
