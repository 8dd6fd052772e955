"use strict";(()=>{var Pn=globalThis,Mt=Pn.trustedTypes,No=Mt?Mt.createPolicy("lit-html",{createHTML:e=>e}):void 0,Mn="$lit$",oe=`lit$${Math.random().toFixed(9).slice(2)}$`,_n="?"+oe,ji=`<${_n}>`,xe=document,pt=()=>xe.createComment(""),dt=e=>e===null||typeof e!="object"&&typeof e!="function",On=Array.isArray,qo=e=>On(e)||typeof e?.[Symbol.iterator]=="function",En=`[ 	
\f\r]`,ut=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Io=/-->/g,Wo=/>/g,we=RegExp(`>|${En}(?:([^\\s"'>=/]+)(${En}*=${En}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Do=/'/g,Bo=/"/g,jo=/^(?:script|style|textarea|title)$/i,Cn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),u=Cn(1),j=Cn(2),dp=Cn(3),ht=Symbol.for("lit-noChange"),h=Symbol.for("lit-nothing"),Fo=new WeakMap,$e=xe.createTreeWalker(xe,129);function Uo(e,t){if(!On(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return No!==void 0?No.createHTML(t):t}var Vo=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=ut;for(let l=0;l<n;l++){let c=e[l],p,d,m=-1,f=0;for(;f<c.length&&(i.lastIndex=f,d=i.exec(c),d!==null);)f=i.lastIndex,i===ut?d[1]==="!--"?i=Io:d[1]!==void 0?i=Wo:d[2]!==void 0?(jo.test(d[2])&&(s=RegExp("</"+d[2],"g")),i=we):d[3]!==void 0&&(i=we):i===we?d[0]===">"?(i=s??ut,m=-1):d[1]===void 0?m=-2:(m=i.lastIndex-d[2].length,p=d[1],i=d[3]===void 0?we:d[3]==='"'?Bo:Do):i===Bo||i===Do?i=we:i===Io||i===Wo?i=ut:(i=we,s=void 0);let b=i===we&&e[l+1].startsWith("/>")?" ":"";r+=i===ut?c+ji:m>=0?(o.push(p),c.slice(0,m)+Mn+c.slice(m)+oe+b):c+oe+(m===-2?l:b)}return[Uo(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},mt=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,l=t.length-1,c=this.parts,[p,d]=Vo(t,n);if(this.el=e.createElement(p,o),$e.currentNode=this.el.content,n===2||n===3){let m=this.el.content.firstChild;m.replaceWith(...m.childNodes)}for(;(s=$e.nextNode())!==null&&c.length<l;){if(s.nodeType===1){if(s.hasAttributes())for(let m of s.getAttributeNames())if(m.endsWith(Mn)){let f=d[i++],b=s.getAttribute(m).split(oe),y=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:y[2],strings:b,ctor:y[1]==="."?Ot:y[1]==="?"?Ct:y[1]==="@"?Lt:ve}),s.removeAttribute(m)}else m.startsWith(oe)&&(c.push({type:6,index:r}),s.removeAttribute(m));if(jo.test(s.tagName)){let m=s.textContent.split(oe),f=m.length-1;if(f>0){s.textContent=Mt?Mt.emptyScript:"";for(let b=0;b<f;b++)s.append(m[b],pt()),$e.nextNode(),c.push({type:2,index:++r});s.append(m[f],pt())}}}else if(s.nodeType===8)if(s.data===_n)c.push({type:2,index:r});else{let m=-1;for(;(m=s.data.indexOf(oe,m+1))!==-1;)c.push({type:7,index:r}),m+=oe.length-1}r++}}static createElement(t,n){let o=xe.createElement("template");return o.innerHTML=t,o}};function ke(e,t,n=e,o){if(t===ht)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=dt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=ke(e,s._$AS(e,t.values),s,o)),t}var _t=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??xe).importNode(n,!0);$e.currentNode=s;let r=$e.nextNode(),i=0,l=0,c=o[0];for(;c!==void 0;){if(i===c.index){let p;c.type===2?p=new Le(r,r.nextSibling,this,t):c.type===1?p=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(p=new Ht(r,this,t)),this._$AV.push(p),c=o[++l]}i!==c?.index&&(r=$e.nextNode(),i++)}return $e.currentNode=xe,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},Le=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=h,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=ke(this,t,n),dt(t)?t===h||t==null||t===""?(this._$AH!==h&&this._$AR(),this._$AH=h):t!==this._$AH&&t!==ht&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):qo(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==h&&dt(this._$AH)?this._$AA.nextSibling.data=t:this.T(xe.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=mt.createElement(Uo(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new _t(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=Fo.get(t.strings);return n===void 0&&Fo.set(t.strings,n=new mt(t)),n}k(t){On(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(pt()),this.O(pt()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},ve=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=h,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=h}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=ke(this,t,n,0),i=!dt(t)||t!==this._$AH&&t!==ht,i&&(this._$AH=t);else{let l=t,c,p;for(t=r[0],c=0;c<r.length-1;c++)p=ke(this,l[o+c],n,c),p===ht&&(p=this._$AH[c]),i||=!dt(p)||p!==this._$AH[c],p===h?t=h:t!==h&&(t+=(p??"")+r[c+1]),this._$AH[c]=p}i&&!s&&this.j(t)}j(t){t===h?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},Ot=class extends ve{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===h?void 0:t}},Ct=class extends ve{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==h)}},Lt=class extends ve{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=ke(this,t,n,0)??h)===ht)return;let o=this._$AH,s=t===h&&o!==h||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==h&&(o===h||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Ht=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){ke(this,t)}},Go={M:Mn,P:oe,A:_n,C:1,L:Vo,R:_t,D:qo,V:ke,I:Le,H:ve,N:Ct,U:Lt,B:Ot,F:Ht},Ui=Pn.litHtmlPolyfillSupport;Ui?.(mt,Le),(Pn.litHtmlVersions??=[]).push("3.3.1");var Ko=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new Le(t.insertBefore(pt(),r),r,void 0,n??{})}return s._$AI(e),s};var ft={temperature:1,isScaled:!0,isMasked:!0},Nt=({temperature:e,isScaled:t,isMasked:n})=>e===1&&t&&n;function Ln({scores:e,bias:t,allowed:n,factor:o},{temperature:s,isScaled:r,isMasked:i}){let l=e.map((y,w)=>(r?y:y/o)+t[w]),c=l.map((y,w)=>w).filter(y=>n[y]||!i);c.sort((y,w)=>l[w]-l[y]);let p=l[c[0]]??0,d=l.map(()=>0);for(let y of c)d[y]=Math.exp((l[y]-p)/s);let m=d.reduce((y,w)=>y+w,0),f=d.map(y=>y/m),b=f.reduce((y,w)=>y-(w?w*Math.log(w):0),0);return{keys:c,scores:l,exponentials:d,highest:p,total:m,weights:f,entropy:b}}var zo={result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,next:null,experiment:null,snapshot:null},Nn=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,softmax:ft,sampling:{isOpen:!1,temperature:1,topK:0,topP:1},isPlaying:!1,tourStop:null,hoveredToken:null},inspection:{...zo},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),a=Nn(),In={output:{compared:null,attribution:null},inspection:zo,heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},It=[{output:{sentences:[],sourceText:"",html:""}},In],Xo=[],Hn=!1;function Wn(e){Xo.push(e)}function Te(e){for(let[t,n]of Object.entries(e))Object.assign(a[t],n)}function g(...e){e.forEach(Te),!Hn&&(Hn=!0,requestAnimationFrame(()=>{Hn=!1;for(let t of Xo)t()}))}var L="flow.",te="mean.",ue=["rollout","gradient","integrated-gradients"],He=e=>e.direction??e.name??"",v=()=>a.server.models.find(e=>He(e)===a.request.modelName),x=()=>a.output.sentences[a.view.sentenceIndex],T=()=>!a.server.storedPage&&v()?.direction!==void 0,X=()=>T()||!a.server.storedPage&&v()?.arch==="decoder";function J(){let e=v();return!a.server.storedPage&&a.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var F=()=>a.output.sourceText!==""&&a.output.sourceText!==a.request.text,N=()=>a.inspection.result!==null&&a.inspection.sentence!==(x()??null),W=()=>N()||F();function Se(e=a.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!T())return t.slice(1);let n=a.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var Dn=e=>e!=="encoder"||a.inspection.result?.target===null;var _=e=>e.split(".").slice(0,2).join("."),Bn=()=>a.inspection.result?[...a.inspection.result.weights.keys()]:[],Jo=(e,t)=>e[(t+e.length)%e.length];function Ne(e){let t=Bn(),n=Jo(t,t.indexOf(a.view.head)+e);n&&g({view:{head:n}})}function Ie(e){let t=[...new Set(Bn().map(_))],n=Jo(t,t.indexOf(_(a.view.head))+e),o=Bn().find(s=>_(s)===n);o&&g({view:{head:o}})}function Wt(){let e=a.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${te}${e}`,isOfModel:t}}function se(){let e=Wt();if(e?.isOfModel)return e.head;let t=a.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,l)=>l.confidence-i.confidence);return r?.head??"mean"}var Vi={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function Dt(e){let[t,n]=e.split(".");return`${a.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var Fn=e=>`${Dt(_(e))}, head ${e.split(".")[2]} (${e})`;function Bt(e){let n=e.startsWith("decoder.")&&a.inspection.result?.target!=null?"what is written":"the text",o=Vi[a.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${Fn(e)}: reads ${n}${o?`, ${o}`:""}`}var We=5;function U(){let e=v();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var De=()=>a.request.temperature?{method:"sample",temperature:a.request.temperature,seed:a.request.seed}:{beam_size:a.request.beamSize},Be=e=>T()?{...U(),text:e.source,target_ids:e.ids}:{model:v().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},Ft=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var V=class extends Error{constructor(n,o){super(o);this.status=n}},qt=0,Gi=410,Yo="regard-key",Ki=255;async function Zo(){try{return(await fetch("health")).ok}catch{return!1}}var Qo=e=>sessionStorage.setItem(Yo,e);function zi(e){let t=sessionStorage.getItem(Yo);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function qn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:zi(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new V(qt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new V(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function O(e,t,n){return await(await qn(e,t,n)).json()}async function*es(e,t){let o=(await qn("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new V(qt,"The server went away while it was answering. Is it still running?")});if(i)return;let l=(s+r).split(`

`);s=l.pop()??"";for(let c of l){let[p,d]=c.split(`
`);yield{name:p.slice(7),data:JSON.parse(d.slice(6))}}}}async function gt(e,t,n){try{return await O(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof V)||o.status!==Gi)throw o;return e.id=(await O("inspect",e.request,n)).id,await O(`inspect/${e.id}/${t}`,void 0,n)}}async function Xi(e,t,n){let o=await qn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,l]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((d,m)=>{let f=r.subarray(m*i*l,(m+1)*i*l);return[d,{rows:i,keys:l,values:f,scale:c,forbidden:Ki}]})}async function Fe(e,t){let n=v()?.arch!=="rnn",o=await O("inspect",{...e,lens:n},t),s=Object.keys(o.tokens),r=await Promise.all(s.map(i=>Xi(o.id,i,t)));return{...o,request:e,weights:new Map(r.flat())}}var Ji=403,Yi=2e3,Zi=4e3,Re=new Map;async function E(e,t,n){Re.get(e)?.abort();let o=new AbortController;Re.set(e,o),e==="translate"&&ea(),t&&g({status:{busy:{...a.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||Qi(s),!1}finally{Re.get(e)===o&&ts(e)}}function jt(e,t){g({status:{busy:{...a.status.busy,[e]:t}}})}function Qi(e){let t=e instanceof V?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===Ji}}),t===qt&&ss()}function ea(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function ta(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function ts(e){Re.delete(e),e==="translate"&&qe(()=>{Re.has(e)||ta()}),g({status:{busy:Object.fromEntries(Object.entries(a.status.busy).filter(([t])=>t!==e))}})}function qe(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var jn=0,ns=()=>Promise.resolve();function os(e){ns=e}function ss(){clearTimeout(jn),jn=window.setTimeout(()=>{Zo().then(e=>{e?Un():a.status.error&&ss()})},Yi)}async function Un(){clearTimeout(jn),g({status:{error:"",needsApiKey:!1}}),await ns()}function rs(e){g({status:{notice:e}}),setTimeout(()=>{a.status.notice===e&&g({status:{notice:""}})},Zi)}var bt=e=>Re.has(e);function Ae(e){Re.get(e)?.abort(),ts(e)}var na=50;async function je(e){let{disabled:t}=a.heads,n=e.every(o=>t.includes(o));await re(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function re(e){let{undoStack:t,disabled:n}=a.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-na)}}),await Y()}async function is(){let{undoStack:e}=a.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await Y()}async function Y(){let{sentence:e}=a.inspection;if(!a.heads.disabled.length)return Ae("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!J()||N()||await E("ablate","Running without heads",async t=>{let n=T()?Ft(e):{prompt:e.source,...e.decoding},o={...Be(e),heads:a.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await O("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function Ue(){let{result:e,sentence:t}=a.inspection;if(!t?.isDone||!e||N())return;let n=[...e.weights.keys()],o=[...new Set(n.map(_))];await E("rank","Taking each head away",async s=>{let r={},i={};for(let[l,c]of o.entries()){let p=n.filter(m=>_(m)===c),d=await O("ablate",{...Be(t),sweep:!0,heads:p},s);if(a.inspection.result!==e)return;r={...r,...d.worth},i={...i,...d.by_token},g({heads:{importance:r,importanceByToken:i}}),jt("rank",`Taking each head away: ${l+1} of ${o.length} layers`)}g({heads:{sortBy:"worth"}})}),a.status.error&&a.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var Gt=null,Z=()=>Gt;function Ge(){Gt=null}var oa=()=>({edits:a.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:a.inspection.snapshot,compared:a.output.compared,tracesSearch:a.search.trace!==null&&a.search.trace.source===x()?.source,ranksHeads:a.heads.importance!==null}),sa=16,ra=1e3,ia=5,aa=1e9,Ut=e=>e==="true",Ve=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},Vt=Ve(0,aa),as=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),la=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),ca=e=>ue.some(t=>e===`${L}${t}`),ua=e=>as(e)||la(e)||ca(e)?e:void 0,pa=e=>e.split(",").filter(as),H=(e,t,n)=>({group:e,field:t,parse:n}),Kn={direction:H("request","modelName",String),text:H("request","text",String),beam:H("request","beamSize",Ve(1,sa)),temperature:H("request","temperature",Ve(0,ia,!1)),seed:H("request","seed",Ve(0,Number.MAX_SAFE_INTEGER)),length:H("request","maxTokens",Ve(1,ra)),at:H("view","sentenceIndex",Vt),step:H("view","outputPosition",Vt),source:H("view","inputPosition",Vt),key:H("view","keyPosition",Vt),head:H("view","head",ua),share:H("view","rowShare",Ve(.1,1,!1)),words:H("view","groupsWords",Ut),alone:H("view","hidesOtherRows",Ut),isExplained:H("view","showsComputation",Ut),isHtml:H("request","isHtml",Ut),sortBy:H("heads","sortBy",String),off:H("heads","disabled",pa)},da=["direction","text","beam","temperature","seed","length","at","off","isHtml"],zn=(e,{group:t,field:n})=>e[t][n]??null,ls=Nn(),Vn=!1;function D(){Vn=!0}function ha(e){let t=!a.request.translatesWhileTyping&&!a.status.busy.translate&&!a.status.error;return e==="text"&&F()&&t?a.output.sourceText:zn(a,Kn[e])}var ma=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function fa(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=Gt??oa();return[["edits",e.length?JSON.stringify(e.map(ma)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var ga=e=>e==="text"||e==="direction"||e==="head"&&a.view.head===se();function cs(){let{storedPage:e}=a.server,t=new URLSearchParams;for(let[s,r]of Object.entries(Kn)){let i=ha(s);e&&da.includes(s)||i===null||i===zn(ls,r)||String(i)===""||t.set(s,String(i))}if(!e){for(let[r,i]of fa())t.set(r,i);let s=[...a.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=s?`${s} · Regard`:"Regard"}let o=`#${a.output.isExample&&[...t.keys()].every(ga)?"":t}`;o===(location.hash||"#")||location.protocol==="about:"||(Vn?history.pushState(null,"",o):history.replaceState(null,"",o),Vn=!1)}var Gn=e=>Number.isSafeInteger(e)&&e>=0,us=e=>Array.isArray(e)?e.filter(Gn):[];function ps(e){try{return JSON.parse(e??"null")}catch{return null}}function ba(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!Gn(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:us(r)}}]:Gn(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function ya(e){let t=ps(e);return Array.isArray(t)?t.flatMap(ba):[]}function wa(e){let t=ps(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:us(t[1])}:e?{text:e,ids:[]}:null}function Xn(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(Kn)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??zn(ls,s))}let n=Number(e.get("snapshot")??NaN);return Gt={edits:ya(e.get("edits")),snapshot:n>=0?n:null,compared:wa(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var Kt=()=>Te(Xn());var Jn=new Map,ds=()=>Jn.clear();function G(e){let t=Jn.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return Jn.set(e,o),o}var pe=(e,t)=>`rgba(${G(e).join(", ")}, ${t.toFixed(3)})`,Q=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var $a=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,xa=new RegExp(String.raw`\s+|${$a.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),ka=4e6,Ee=e=>[...e.matchAll(xa)].map(({0:t,index:n})=>({text:t,begin:n}));function zt(e,t){let n=d=>d.map(m=>m.text).filter(m=>m.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,l=0;for(;i<r&&o[i]===s[i];)i++;for(;l<r-i&&o.at(-1-l)===s.at(-1-l);)l++;let c=va(o.slice(i,o.length-l),s.slice(i,s.length-l)),p=(d,m,f)=>{let b=new Set(c.map(w=>w[m]+i)),y=-1;return d.map(w=>w.text.trim()!==""&&++y>=i&&y<f-l&&!b.has(y))};return[p(e,0,o.length),p(t,1,s.length)]}function va(e,t){let n=[],o=t.length+1;if(e.length*t.length>ka)return n;let s=new Uint32Array((e.length+1)*o),r=(i,l)=>s[i*o+l];for(let i=e.length-1;i>=0;i--)for(let l=t.length-1;l>=0;l--){let c=e[i]===t[l];s[i*o+l]=c?r(i+1,l+1)+1:Math.max(r(i+1,l),r(i,l+1))}for(let i=0,l=0;i<e.length&&l<t.length;)e[i]===t[l]?n.push([i++,l++]):r(i+1,l)>=r(i,l+1)?i++:l++;return n}function hs(e,t){let n=[Ee(e),Ee(t)],o=zt(...n),s=r=>n[r].filter((i,l)=>o[r][l]).map(i=>i.text);return[s(0),s(1)]}var Ke=e=>JSON.stringify([a.request.modelName,e.source,a.request.beamSize,e.prefix]);async function de(){let e=x();e?.isDone&&await E("search","Searching",async t=>{let n=Ke(e),o={...U(),text:e.source,beam_size:a.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await O("translate",o,t),r=x();r&&Ke(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function Ta(e,{weights:t}){return e==="mean"||t.has(e)||ue.some(n=>e===`${L}${n}`)?!0:[...t.keys()].some(n=>e===`${te}${_(n)}`)}function yt(e,t,n=null){let{head:o,outputPosition:s}=a.view,r=a.heads.disabled.filter(i=>e.weights.has(i));Te({inspection:{result:e}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:Ta(o,e)?o:se(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),a.view.head.startsWith(L)&&ee(a.view.head)}async function B(){let e=x();if(!e?.isDone||!e.text||!T()||(await E("inspect","Looking inside",async n=>{yt(await Fe(Be(e),n),e)}),N()))return;a.heads.disabled.length&&await Y();let{trace:t}=a.search;t?.source===e.source&&t.requestKey!==Ke(e)&&await de()}async function Xt(e){let t=x();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await E("inspect","Loading a snapshot",async n=>{let o={...Be(t),snapshot:e,...Ft(t)};yt(await Fe(o,n),t,e)}))}async function ee(e){let t=a.inspection.result;if(!e.startsWith(L)||!t)return g({view:{head:e},inspection:{flow:null}});await E("flow","Following the layers",async n=>{let o=await gt(t,`flow/${e.slice(L.length)}`,n);a.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var ms="";function bs(e){let{result:t,lookup:n}=a.inspection,{head:o,showsComputation:s}=a.view;if(!t?.weights.has(o)||!s||N())return;let r=Zn(e),i=ms===r&&(bt("lookup")||a.status.error!=="");n?.cell===r||i||(ms=r,E("lookup","",async l=>{let c=await gt(t,`lookup/${o}/${e.row}/${e.key}`,l);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var ze=()=>v()?.no_parts??"",fs={writes:"",stream:"",next:""};function Yn(e,t,n,o){let{result:s}=a.inspection;if(!s||N())return;let r=fs[e]===t&&(bt(e)||a.status.error!=="");a.inspection[e]?.cell===t||r||(fs[e]=t,E(e,"",async i=>{o(await gt(s,n,i))}))}function ys(e){let{head:t}=a.view;if(!a.inspection.result?.weights.has(t)||ze())return;let n=he(e.row,t);Yn("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function ws(e){let t=he(e);ze()||Yn("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}function $s(e){let{temperature:t,topK:n,topP:o}=a.view.sampling,s=`temperature=${t}&top_k=${n}&top_p=${o}`,r=he(e,s);return Yn("next",r,`next/${e}?${s}`,i=>{g({inspection:{next:{result:i,cell:r}}})}),r}async function xs(e,t){let{result:n}=a.inspection;!n||N()||await E("experiment","Trying",async o=>{let s=`experiment/${e}?seed=${t}`,r=await gt(n,s,o);g({inspection:{experiment:{result:r,inspection:n}}})})}var Sa=0,gs=new WeakMap;function he(e,t=""){let n=a.inspection.result,o=gs.get(n)??++Sa;return gs.set(n,o),`${o}/${t}/${e}`}var Zn=({row:e,key:t})=>`${he(e,a.view.head)}/${t}`;async function ks(){await E("models","",async e=>{let{models:t}=await O("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>He(s)===a.request.modelName);g({server:{models:t},request:{modelName:o?a.request.modelName:He(n)},status:{error:"",needsApiKey:!1}})})}async function Xe(){await E("count","",async e=>{if(!a.request.text.trim()||!T())return g({tokenCounts:{total:null}});let t={...U(),text:a.request.text},n=await O("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var Je=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function Qn(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var K=e=>e.join("").replaceAll("▁"," ").trimStart(),Jt=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),Ye=e=>/^<[^<>]+>$/.test(e);function Pe(e,t,n="inserted"){let o=Ee(e),[s]=zt(o,Ee(t)),r=i=>n==="deleted"?u`<del>${i}</del>`:u`<mark>${i}</mark>`;return u`${o.map((i,l)=>s[l]?r(i.text):i.text)}`}var vs=e=>Ye(e)?`
`:e.replaceAll("▁"," ");function eo({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>vs(i.token)),o=Ee(n.join("")),[s]=zt(o,Ee(t.tokens.map(i=>vs(i.token)).join(""))),r=0;return n.map(i=>{let l=r;r+=i.length;let c=p=>p.begin<r&&p.begin+p.text.length>l;return o.some((p,d)=>s[d]&&c(p))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",Ra=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,me=e=>Ra.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",Aa=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,Ea=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function Ts(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>Aa.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!Ea.some(r=>r.test(n))&&o!=="ء"}function Ze(e,t){let n=Ts(e[t-1],e[t])?["joins-before"]:[],o=Ts(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var ie=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function fe(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var Qe=(e,t)=>Array.from({length:e.keys},(n,o)=>fe(e,t,o));function Yt(e,t){let n=e.map((i,l)=>l).sort((i,l)=>e[l]-e[i]),o=new Set,s=e.reduce((i,l)=>i+l,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var to=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function Ss(e){let t=to(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function Rs(e){let[t]=e,n=to(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function As(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function Es(e,t,n){let o=to(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,l)=>{let c=s.every(m=>i.every(f=>ie(e,m,f))),p=m=>i.reduce((f,b)=>f+fe(e,m,b),0),d=s.reduce((m,f)=>m+p(f),0);o.values[r*n.length+l]=c?o.forbidden:d/s.length})}),o}var Hs=new WeakMap,Ns=e=>Hs.get(e);function Is(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),Hs.set(t,e),t}var Ps=new WeakMap;function Ws(e,t){let n=Ps.get(e)??new Map,o=[t,...G("paper"),...G("heat")].join(" "),s=n.get(o)??Pa(e,t);return Ps.set(e,n.set(o,s)),s}function no(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function Pa(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let p=0;p<e.rows;p++)for(let d=0;d<e.keys;d++){if(ie(e,p,d))continue;let m=Math.floor(p*n/e.rows)*o+Math.floor(d*o/e.keys);s[m]=Math.max(s[m],fe(e,p,d))}let r=new ImageData(o,n),[i,l,c]=[G("paper"),G("heat"),G("forbidden")];return s.forEach((p,d)=>{p<0?no(r,d,c,c,1):no(r,d,i,l,p)}),Is(r)}var oo=new WeakMap,Ds=e=>oo.get(e);function Bs(e,t){oo.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[]}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function Fs(e,t,n){Bs(e,Ws(t,n))}function qs(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((l,c)=>{let p=G(l<0?"less":"more");no(o,i*n+c,G("paper"),p,Math.abs(l)/s)})}),Bs(e,Is(o))}var Ma=14,_a=120,Ms=10,_s=44,Oa=60,Ca=800,La=640,Ha=1.2,Os=6,Zt="13px system-ui, sans-serif";function Cs(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function Ls(e,t,n){let o=Math.max(Math.ceil(Ma/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function Na(e,t,n){let{weights:o,rows:s,keys:r,chosen:i,isMirrored:l}=t;e.font=Zt;let c=Math.min(_a,n*.25),p=Cs(e,s,c),d=Cs(e,r,c),m=I=>Math.max(...I.map(qi=>e.measureText(qi).width)),f=m(p)+Ms,b=m(d)+Ms,y=n>Ca?Oa:_s,w=Math.max(La*y/_s/s.length,2*Os),A=Math.max(Ha,Math.min(y,(n-f-2)/r.length,w)),R=A>=Os?Math.floor(A):A,M=R*r.length,ye=R*s.length,Pt=I=>f+R*(l?r.length-1-I:I),An={rows:Ls(s.length,R,i.row),keys:Ls(r.length,R,i.key)},Lo=I=>Q(I?"accent":"ink"),Bi=[...An.rows.map(I=>({text:p[I],x:f-6,y:b+R*(I+.5),isVertical:!1,fill:Lo(I===i.row)})),...An.keys.map(I=>({text:d[I],x:Pt(I)+.5*R,y:b-6,isVertical:!0,fill:Lo(I===i.key)}))],Ho={stroke:Q("accent"),thickness:1.5},Fi=[{x:f-.5,y:b-.5,width:M+1,height:ye+1,stroke:Q("line"),thickness:1},{x:f,y:b+R*i.row,width:M,height:R,...Ho},{x:Pt(i.key),y:b,width:R,height:ye,...Ho}];return{plan:{image:Ws(o,1/0),left:f,top:b,width:M,height:ye,isMirrored:l,labels:Bi,frames:Fi},layout:{left:f,top:b,size:R,...An}}}function js(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=Na(o,t,n),{image:i,left:l,top:c,width:p,height:d,isMirrored:m,labels:f,frames:b}=s;oo.set(e,s);let y=window.devicePixelRatio||1;e.width=Math.round((l+p+2)*y),e.height=Math.round((c+d+2)*y),e.style.width=`${l+p+2}px`,e.style.height=`${c+d+2}px`,o.scale(y,y),o.imageSmoothingEnabled=!1,o.save(),m&&o.transform(-1,0,0,1,2*l+p,0),o.drawImage(i,l,c,p,d),o.restore();for(let w of f)so(o,w);for(let w of b)o.strokeStyle=w.stroke,o.lineWidth=w.thickness,o.strokeRect(w.x,w.y,w.width,w.height);return r}function so(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=Zt,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var wt=12,Ia="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",Wa=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*Da(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:l}of e.data.matchAll(/\S+/gu)){o.setStart(e,l),o.setEnd(e,l+i.length);let{x:c,y:p,width:d,height:m}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;d&&(yield{kind:"text",x:c,y:p,width:d,height:m,text:i,fill:n,font:f,direction:t.direction})}}function*Ba(e,{x:t,y:n,width:o,height:s},r){let i=Ds(e);if(!i||!o)return;let{image:l,isMirrored:c}=i,p=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:l,isMirrored:c,opacity:r,...p};for(let d of i.frames)yield{kind:"frame",radius:0,...d,x:t+d.x,y:n+d.y};for(let d of i.labels)yield{kind:"label",...d,x:t+d.x,y:n+d.y,width:0,height:0}}function*Fa(e,t,n){let{x:o,y:s,width:r,height:i}=n,l=parseFloat(t.borderRadius)||0,c=(d,m=2)=>({kind:"frame",stroke:d,thickness:m,radius:l,...n}),p=(d,m,f=2)=>({kind:"line",...n,path:d,origin:[o,s],scale:[1,1],fill:"none",stroke:m,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield p(`M 0 0 L ${r} ${i}`,Q("less"))),e.matches("del")&&(yield p(`M 0 ${i/2} L ${r} ${i/2}`,Q("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(Q("accent"))),e.matches(".token.prefix-end")&&(yield c(Q("more"))),e.matches(".token.new, u.new")&&(yield p(`M 2 ${i-1} L ${r-2} ${i-1}`,Q("more")))}function qa(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:l,e:c,f:p}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,p],scale:[i,l],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*Us(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(Ia)||i.visibility==="hidden")return;let l=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*Ba(e,r,c);else if(e instanceof SVGPathElement)yield qa(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!l&&o&&!Wa(i.backgroundColor)){let p=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:p}}for(let p of e.childNodes)p instanceof Text?yield*Da(p,i,l?i.fill:i.color):p instanceof Element&&p.tagName!=="title"&&(yield*Us(p));l||(yield*Fa(e,i,r))}function Qt(e){let{classList:t}=document.documentElement;t.add("saving");try{return ja(e)}finally{t.remove("saving")}}function ja(e){let t=[],n=wt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,l=r.y-s.scrollTop,c=n;for(let p of Us(s)){let d=p.x-i+wt,m=p.y-l+n;t.push(p.kind==="line"?{...p,x:d,y:m,origin:[p.origin[0]-i+wt,p.origin[1]-l+n]}:{...p,x:d,y:m}),o=Math.max(o,d+p.width),c=Math.max(c,m+p.height)}n=c+wt}return{shapes:t,width:Math.ceil(o+wt),height:Math.ceil(n),paper:Q("paper")}}var en=2;function Ua(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")so(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function Vs(e){let{shapes:t,width:n,height:o,paper:s}=Qt(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=en*n,r.height=en*o,i.scale(en,en),i.fillStyle=s,i.fillRect(0,0,n,o);for(let l of t)Ua(i,l);return r}var Va=3e5,ro=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function ne(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):ro(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function Ga({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Ns(e),l=new Map,c=o.width/r,p=o.height/i,d=(f,b)=>{let y=f*r+(t?r-1-b:b);return[0,1,2].map(w=>s[4*y+w].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,y;b<r;b=y){let w=d(f,b);for(y=b+1;y<r&&d(f,y)===w;)y++;let A={x:o.x+b*c,y:o.y+f*p,width:(y-b)*c,height:p},R=l.get(w)??[];l.set(w,R),R.push(ne("rect",A))}let m=[...l].map(([f,b])=>ne("g",{fill:`#${f}`},b.join("")));return ne("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},m.join(""))}function Ka({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let l=document.createElement("canvas");return l.width=e.width,l.height=e.height,l.getContext("2d").drawImage(e,0,0),ne("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:l.toDataURL()})}function za(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return ne("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:l,radius:c}=e;return ne("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(l)})}case"cells":return e.image.width*e.image.height>Va?Ka(e):Ga(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${Zt}`};return ne("text",i,`⁨${ro(e.text)}⁩`)}case"line":return ne("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return ne("text",i,ro(e.text))}}}function Gs(e){let{shapes:t,width:n,height:o,paper:s}=Qt(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(za)].join(`
`),l={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${ne("svg",{xmlns:"http://www.w3.org/2000/svg",...l},`${i}
`)}
`}function Ks(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Me=(e,t,n="text/plain")=>Ks(e,new Blob([t],{type:n}));function Xa(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function zs(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",zs);addEventListener("pointerdown",zs);function P(e,t,n,o){let s={PNG:()=>Vs(t).toBlob(i=>{i&&Ks(`${e}.png`,i)}),SVG:()=>Me(`${e}.svg`,Gs(t),"image/svg+xml"),CSV:()=>Me(`${e}.csv`,Xa(n()),"text/csv"),JSON:()=>Me(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return u`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,l])=>u`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{l(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var Xs={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},$t=e=>(...t)=>({_$litDirective$:e,values:t}),et=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var io=class extends et{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},S=$t(io);var Ja={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],temperature:["Temperature","Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the factor one key would take nearly all of the weight."],"beam-search":["Beam search","Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best sums of log-probabilities are kept."],"log-probability":["Log-probability","The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},tn=8;function Ya(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(tn,Math.min(n.left,innerWidth-t.offsetWidth-tn)),r=n.bottom+t.offsetHeight+tn<innerHeight?n.bottom+4:Math.max(tn,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function k(e,t){let[n,o]=Ja[e];return u`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${Ya}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var Za=24,Qa=.5,el=.1;function tl(){let{ablations:e=[]}=a.inspection.result;if(!e.length)return h;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>u`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return u`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${P("without",["#ablations"],t,()=>e)}
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
  </section>`}function nn(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}function on(e,t,n){let o=Math.max(n?Qa:el,...t.map(Math.abs)),s=(r,i)=>{let l=$(e[i]??""),c={width:`${50*Math.abs(r)/o}%`,[r<0?"right":"left"]:"50%"};return u`<div class="change" role="listitem" aria-label="${l} ${r.toFixed(2)} ${n}">
      <bdi>${l}</bdi>
      <span class="track two"><span class=${r<0?"less":"more"} ${S(c)}></span></span>
      <span class="number">${nn(r,2)}</span>
    </div>`};return u`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(s)}
  </div>`}function nl({token_changes:e,log_prob_change:t,text:n}){let o=a.heads.ablatedSentence,s=e.reduce((c,p)=>c+p,0),r=T()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",l=o.prefix!==""||o.edit?.kind==="translation";return u`<p> Written then: <bdi class="strong" id="written-then">${Pe(n,o.text)}</bdi> </p>
    ${l?u`<p class="hint" id="same-prefix">${i}</p>`:h}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${nn(s,3)}</span> ${k("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, each token after the right ones:
    </p>
    ${on(Se(o),e,"nats")}`}function ol({predicted:e=[]}){let t=a.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:l})=>[i,l])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(l=>l.label).join(" ");return u`<p>
      Said then: <bdi class="strong" id="written-then">${Pe(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:l})=>o.get(i)-l);return u`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${on(n,r,"")}`}function sl(){let{disabled:e}=a.heads;if(!e.length)return u`<p class="hint">
      Switch a head off: this shows how much less likely each token becomes, and what the model
      ${X()?"writes":"says"} instead.
    </p>`;let t=n=>u`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void je([n])}
      >${n} ✕</button
    >`;return u`<p class="chips"
    >${e.length>Za?`${e.length} heads are off.`:e.map(t)}</p
  >`}function rl(e){let{predicted:t,token_changes:n}=e,o=Se(a.heads.ablatedSentence);return P("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function Js(){let{result:e,sentence:t}=a.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=a.heads;if(!e||!t)return h;if(a.server.storedPage)return tl();if(!J())return h;let i=W()||n!==null&&o!==t,l=d=>u`${X()?nl(d):ol(d)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        A model was not trained without them, so this is what they are worth here, not what another model could do.
      </p>`,c=u`<button id="all-on" @click=${()=>void re([])}>Switch all on</button>`,p=u`<button id="undo" @click=${()=>void is()}>Undo</button>`;return u`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:h} ${r.length?p:h}
      ${n?rl(n):h}
    </div>
    ${sl()} ${n?l(n):h}
  </section>`}var{I:Bd}=Go;var Ys=e=>e.strings===void 0;var xt=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),xt(o,t);return!0},sn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},Zs=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),ll(t)}};function il(e){this._$AN!==void 0?(sn(this),this._$AM=e,Zs(this)):this._$AM=e}function al(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)xt(o[r],!1),sn(o[r]);else o!=null&&(xt(o,!1),sn(o));else xt(this,e)}var ll=e=>{e.type==Xs.CHILD&&(e._$AP??=al,e._$AQ??=il)},rn=class extends et{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),Zs(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(xt(this,t),sn(this))}setValue(t){if(Ys(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var ao=new WeakMap,tt=$t(class extends rn{render(e){return h}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),h}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=ao.get(t);n===void 0&&(n=new WeakMap,ao.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?ao.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function cl({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let l=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(l=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(l=s+/^\s*/u.exec(o.slice(s,l).join(""))[0].length);let p=o.slice(s,l).join("");return s=l,p})}var Qs=/^▁?(<unk>|\[UNK\])$/;function ul(e,t){let n=t.trim();return Qs.test(e)&&n&&!Qs.test(n)?`<unk: ${n}>`:e}function ln(e,t){let n=a.view.groupsWords?As(e):e.spelled.map((r,i)=>[i]),o=cl(e,t),s=e.spelled.map((r,i)=>ul(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:me(t)}}function er({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function tr(e,t,n,o,s){let r=a.view.groupsWords?Es(t,n.groups,o.groups):t,i=er(n,s.row),l=Qe(r,i),c=l.indexOf(Math.max(...l)),p=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:p?er(o,s.key):c}}function pl({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,l=ln(e,r??s),c=ln(t,s),{outputPosition:p,inputPosition:d}=a.view,m=r===null&&i.length>0,f=m?p-1:p,b=tr("flow",Ss(n),l,c,{row:f,key:d});return m&&(l.groups=l.groups.map(y=>y.map(w=>w+1))),b}function dl(){let{tokens:e,weights:t}=a.inspection.result,{head:n}=a.view,o=[...t.keys()],s=o.filter(l=>n===`${te}${_(l)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(l=>l.startsWith(`${i}.`))}var an=null;function hl(e){return an?.heads.length===e.length&&e.every((n,o)=>n===an.heads[o])||(an={heads:e,mean:Rs(e)}),an.mean}function kt(){let{result:e,flow:t}=a.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=a.view;if(!e)return null;if(n.startsWith(L))return t&&pl(t);let{text:i,target:l,weights:c}=e,p=c.has(n)?[n]:dl(),d=p[0].split(".")[0],m=e.tokens[d],f=p.map(R=>c.get(R)),b=ln(m.rows,d==="encoder"?i:l??i),y=ln(m.keys,d==="decoder"?l??i:i),w=m.rows.spelled.length-1,A=Dn(d)?{row:Math.min(o,w),key:s}:{row:Math.min(s??0,w),key:r};return tr(d,f.length>1?hl(f):f[0],b,y,A)}function q({kind:e,rows:t,keys:n},o,s){let r=({groups:c},p)=>c[Math.max(0,Math.min(p,c.length-1))][0],i=r(t,o),l=r(n,s);Dn(e)?g({view:{outputPosition:i,inputPosition:l}}):g({view:{inputPosition:i,keyPosition:l}})}var nr=12;function z(e,t=1){let n=G("paper"),o=G(e);return u`<span class="ramp" aria-hidden="true"
    >${Array.from({length:nr},(s,r)=>{let i=n.map((l,c)=>Math.round(l+t*r/(nr-1)*(o[c]-l)));return u`<i ${S({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var ml=1e3,fl=.5,gl=.7,bl=.05,yl="20px system-ui, sans-serif",wl=16,$l=3,xl=3,ge=30,or=14,lo=140,kl=640,vl=.7,Tl=1.4,Sl=.4,cn=null;function Rl(e){let t=Math.min(a.view.rowShare,fl);if(cn?.weights===e&&cn.share===t)return cn.edges;let n=Math.max(1,Math.floor(ml/e.rows)),o=Array.from({length:e.rows},(s,r)=>ar(e,r,t).slice(0,n)).flat();return cn={weights:e,share:t,edges:o},o}function ar(e,t,n){let o=Qe(e,t);return[...Yt(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var sr=new OffscreenCanvas(1,1).getContext("2d");function pn(e){return sr.font=yl,sr.measureText(e).width}function un(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),l=$(s),c=Math.max(24,pn(l));return r&&(n+=i?$l:t*wl),n+=c,{text:l,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function Al({rows:e,keys:t},n){let o=f=>Math.max(un(e,f).width,un(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(xl,1+(n-or-s)/Math.max(r,1))),l={rows:un(e,i),keys:un(t,i)},c=Math.max(l.rows.width,l.keys.width)+or,p=(f,b)=>f.words.map(y=>({...y,x:y.x+(c-f.width)/2,y:b})),d=ge,m=d+lo;return{width:c,height:m+ge,keys:p(l.keys,ge/2),rows:p(l.rows,m+ge/2),path:(f,b)=>`M ${f.x} ${m} C ${f.x} ${m-lo/2}, ${b.x} ${d+lo/2}, ${b.x} ${d}`}}function El(e,t){let n=[...e];if(pn(e)<=t)return e;for(;n.length>1&&pn(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function Pl({rows:e,keys:t},n){let o=(p,d)=>p.labels.map(f=>El($(f),Sl*n)).map((f,b)=>{let y=Math.max(24,pn(f));return{text:f,width:y,x:d?n-4-y/2:4+y/2,y:ge*(b+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(p=>p.width)),l=n-10-Math.max(...r.map(p=>p.width)),c=(i+l)/2;return{width:n,height:ge*Math.max(s.length,r.length),keys:s,rows:r,path:(p,d)=>{let m=`C ${c} ${p.y}, ${c} ${d.y}, ${i} ${d.y}`;return`M ${n-8-p.width} ${p.y} L ${l} ${p.y} ${m} L ${8+d.width} ${d.y}`}}}var co=()=>lr()<kl;function lr(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function rr(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function Ml({text:e,x:t,y:n},o,s,r){return j`<text class="word" x=${t} y=${n} dy="0.35em" data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${r}
    @pointerenter=${i=>rr(i,o,s)}
    @pointerleave=${i=>rr(i,o,null)}>\u2068${e}\u2069</text>`}var ir=e=>e?j`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-ge/2+1}
        width=${e.width+8} height=${ge-2} rx="4"></rect>`:h;function cr(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=lr(),l=co(),c=l?Pl(e,i):Al(e,i),p=l?1:Math.max(vl,Math.min(Tl,i/c.width)),m=[...a.view.hidesOtherRows?[]:Rl(t).filter(y=>y.row!==s),...ar(t,s,a.view.rowShare)],f=y=>{let w=y.row===s,A=Math.max(bl,w?y.weight:gl*y.weight);return j`<path class=${w?"edge here":"edge"} data-row=${y.row} data-key=${y.key}
      data-weight=${y.weight.toFixed(3)} opacity=${A} stroke-width=${1+4*y.weight}
      d=${c.path(c.rows[y.row],c.keys[y.key])}></path>`},b=(y,w,A)=>w.map((R,M)=>Ml(R,y,M,()=>A(M)));return u`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(p*c.width)}
      height=${Math.round(p*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label="Curves from each of ${n.labels.length} tokens to those of ${o.labels.length} that it looks at"
    >
      ${m.map(f)} ${ir(c.keys[r])} ${ir(c.rows[s])}
      ${b("key",c.keys,y=>q(e,s,y))}
      ${b("row",c.rows,y=>q(e,y,r))}
    </svg>
  </div>`}var C=e=>e.target.value,ae=e=>e.target.checked,nt=e=>e.ctrlKey||e.metaKey||e.altKey,dn=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);function _l(){let e=a.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var uo=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:_l()}),po=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function ot(e){return e==="encoder"?"read":a.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function st({kind:e,rows:t},n){let o=ot(e);return o==="read"?null:o==="translation"?uo(t.labels,n):po(t.labels,n)}var ur=e=>u`<bdi class="strong">${$(e)}</bdi>`;function le({writes:e,read:t},n="about",o=h){let s=u`${e===null?"the next token":ur(e)}${o}`;return t===null?u`${n} to write ${s}`:u`${n} to write ${s}, has read ${ur(t)}`}var pr=4,Ol=({weights:e},t)=>e.keys-e.rows+t;function ho(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>ie(e.weights,t,n))}function Cl(e){let t=e.rows.labels.flatMap((n,o)=>{let s=Ol(e,o),r=i=>i<s||e.kind==="encoder";return ho(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function dr(e,t){let n=t.slice(0,pr+ +(t.length===pr+1)),o=n.map((r,i)=>u`${i?", ":h}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return u`${o}${s?` and ${s} more`:h}`}function Ll(e){let t=ho(e,e.row),n=st(e,e.row),o=n?u`${le(n,"About")}: it may`:u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?u`${o} look at ${dr(e,s)}, and not at ${dr(e,t)}.`:u`${o} look at all of them.`}var hr={cross:"No cell is grey: the text is there from the start, so every place may look at all of it. Heads that read what is written have grey cells: a place may not look at tokens that are not written yet.",encoder:"No cell is grey: the text is there from the start, so each token may look at those before and after it."};function mr(e){let{kind:t}=e;if(t==="flow")return h;if(!e.rows.labels.some((d,m)=>ho(e,m).length))return hr[t]?u`<p id="mask">${hr[t]}</p>`:h;let o=ot(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, they do not exist. Here it reads a ${o?"translation":"text"} that is known to its end, so a mask hides them.`:"",i=Cl(e),l=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${l}; the rest is hidden.`,p=[r,c].filter(Boolean).join(" Also, ");return u`<p id="mask"> Grey: ${p} ${Ll(e)} </p>`}var fr=5,Hl=.85,Nl=.6;function Il({weights:e,rows:t,keys:n,row:o,key:s}){let r=(l,c)=>{let p=Math.max(0,Math.min(l-2,c-fr));return Array.from({length:Math.min(fr,c)},(d,m)=>p+m)},i=(l,c)=>{let p=ie(e,l,c)?"forbidden":fe(e,l,c).toFixed(2),d=`${$(t.labels[l])} → ${$(n.labels[c])} ${p}`;return u`<td role="gridcell" aria-label=${d}></td>`};return u`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(l=>u`<tr> ${r(s,e.keys).map(c=>i(l,c))} </tr>`)}
    </tbody>
  </table>`}function gr({pieces:e,labels:t,direction:n},o){let{id:s,label:r,chosen:i,shareOf:l,choose:c}=o,p=(m,f)=>{let b=l(f),y=m!==""&&!/\p{Letter}/u.test(m),w=S({background:b?pe("heat",Hl*b):"",color:b>Nl?"var(--paper)":""}),A=`part ${f===i?"here":""}`,[,R,M]=/^(\s*)([^]*)$/u.exec(m);if(Ze(e,f))return u`${R}<span class=${A} @click=${()=>c(f)} ${w}>${M}</span>`;let ye=M||m||$(t[f]);return u`<bdi class=${m?"":"symbol"} dir=${y?n:"auto"} @click=${()=>c(f)}
      >${M?R:h}<span class=${A} ${w}>${ye}</span></bdi
    >`},d=e.map(p);return u`<p id=${s} class="tokens" dir=${n} role="group" aria-label=${r}>${d}</p>`}var br={translation:"the place that is about to write it, and has read those before it",text:"the place that has read it, and is about to write the next",read:"itself"};function Wl(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${a.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${br[ot(e)]}. Columns: ${t}.`}function Dl({kind:e}){if(e==="flow")return h;let[t,n]=co()?["Left","Right"]:["Above","Below"];return u`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${br[ot(e)]}.
  </p>`}function Bl(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>q(t,n-1,o),ArrowDown:()=>q(t,n+1,o),ArrowLeft:()=>q(t,n,o-i),ArrowRight:()=>q(t,n,o+i),Home:()=>q(t,n,0),End:()=>q(t,n,s.keys-1),n:()=>Ne(1),p:()=>Ne(-1),PageDown:()=>Ie(1),PageUp:()=>Ie(-1)}[e.key];nt(e)||!c||(c(),e.preventDefault())}var _e=null,yr=()=>_e;function Fl(e,t){if(!_e)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-_e.left)/_e.size),i=Math.floor((e.clientY-s.top-_e.top)/_e.size),l=o.direction==="rtl"?n.keys-1-r:r;i>=0&&l>=0&&i<n.rows&&l<n.keys&&q(t,i,l)}function ql(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",l={weights:t,rows:n.labels,keys:o.labels,chosen:{row:s,key:r},isMirrored:i},c=b=>{queueMicrotask(()=>{let y=b?.parentElement;y&&(_e=js(b,l,y.clientWidth))})},p=`${t.rows} rows, ${t.keys} columns`,d=u`<span><i class="stroke"></i> the others</span>`,m=t.values.includes(t.forbidden),f=u`<span><i class="forbidden"></i> forbidden by a mask</span>`;return u`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${a.view.head}: ${p}. Arrow keys choose a cell."
        ${tt(c)}
        @pointerdown=${b=>Fl(b,e)}
        @keydown=${b=>Bl(b,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${k("weight","weight")} 0 ${z("heat")} 1</span>
      ${m?f:h}
      <span><i class="stroke here"></i> the chosen token</span> ${a.view.hidesOtherRows?h:d}
    </p>`}function jl(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:l}=e,c=n.values instanceof Uint16Array?3:2,p=A=>fe(n,r,A).toFixed(c),d=u`<bdi class="strong">${$(o.labels[r])}</bdi>`,m=u`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=u`<span class="strong number">${p(i)}</span>`,b=!ie(n,r,i);if(t==="flow"&&b)return u`<p id="cell" role="status">${m} has a share of ${f} in ${d}.</p>`;let y=u`Most, ${p(l)}, goes to <bdi>${$(s.labels[l])}</bdi>.`,w=st(e,r);return u`<p id="cell" role="status">
    ${w?u`${le(w,"About")}:`:d}
    ${b?u`looks with ${f} at`:"may not look at"} ${m}. ${i===l?h:y}
  </p>`}function wr(){let e=(r,i)=>u`<option value=${r} ?selected=${r===a.view.head}>${i}</option>`,t=[...a.inspection.result.weights.keys()],n=[...new Set(t.map(_))],o=r=>u`<optgroup label="${Dt(r)} (${r})">
      ${t.filter(i=>_(i)===r).map(i=>e(i,Fn(i)))}
      ${e(`${te}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>u`<optgroup label="Through all layers">
      ${ue.map(r=>e(`${L}${r}`,r))}
    </optgroup>`;return u`${k("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void ee(C(r))}>
      ${n.map(o)} ${e("mean","mean")} ${a.server.storedPage?h:s()}
    </select>
    ${Ul()}`}function Ul(){let e=Wt();if(!e)return h;let{head:t,isOfModel:n}=e;return u`<button id="aligns" aria-pressed=${a.view.head===t} @click=${()=>void ee(t)}
    >${n?"Alignment head":"Alignment layer of this sentence"}</button
  >`}function Vl(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=a.view,o=`${Math.round(100*e)} %`;return u`${k("share","Share of a row")}
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
        @input=${s=>g({view:{rowShare:Number(C(s))}})}
      />
      <span class="number">${o}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${t}
        @change=${s=>g({view:{groupsWords:ae(s)}})}
      />
      ${k("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:ae(s)}})}
      />
      only the chosen token</label
    >`}function Gl({weights:e,rows:t,keys:n}){let o=(l,c)=>ie(e,l,c)?null:fe(e,l,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((l,c)=>n.labels.flatMap((p,d)=>{let m=o(c,d);return m===null?[]:[[c,d,l,p,m]]}))],r=(l,c)=>{let p=o(l,c);return p===null?null:Number(p)};return P("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:a.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((l,c)=>n.labels.map((p,d)=>r(c,d)))}))}var Kl="<s> is the symbol that begins a text, </s> the one that ends it.";function zl({kind:e,keys:t}){return u`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":h} ${e==="flow"?h:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${Kl}
  </p>`}var mo=()=>T()||a.server.storedPage?"Alignment":"Attention";function Xl(){let e=X()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return u`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${mo()}</h2></div>
    ${a.inspection.result?wr():h}
    <p class="hint">${x()?"…":e}</p>
  </section>`}function Jl(){let{head:e}=a.view,{result:t}=a.inspection;return t?.weights.has(e)?Bt(e):e.startsWith(L)?`Through all layers: ${e.slice(L.length).replace("-"," ")}`:e.startsWith(te)?`Mean of ${Dt(e.slice(te.length))}`:"Mean of the last kind of heads"}function $r(){let e=kt();return!e||!a.inspection.result?Xl():u`<section class="panel alignment ${xr(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title">${Wt()?k("alignment",mo()):mo()}</h2>
      <span id="shown-head" class="strong">${Jl()}</span>
      ${Gl(e)}
    </div>
    <div class="together chooser" data-unsaved>${wr()}</div>
    ${cr(e)} ${Dl(e)} ${jl(e)}
  </section>`}function xr({kind:e}){let{result:t,flow:n}=a.inspection;return W()||e==="flow"&&n?.inspection!==t}function kr(){let e=kt();if(!e||!a.inspection.result)return h;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=Qe(r,o),l=Yt(i,a.view.rowShare),c=gr(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:d=>q(e,d,s)}),p=gr(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:d=>l.has(d)?i[d]:0,choose:d=>q(e,o,d)});return u`<section class="panel matrix ${xr(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${Vl()}
    </div>
    <p class="hint" id="axes">${Wl(e.kind)}</p>
    ${mr(e)} ${ql(e)} ${Il(e)}
    <div class="sides">${c} ${p}</div>
    ${zl(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var Yl=6,vr=1,fo=e=>g({view:{softmax:{...a.view.softmax,...e}}});function Tr(e,t,n){return u`<label><input id=${e} type="checkbox" .checked=${t} @change=${s=>fo(e==="scaled"?{isScaled:ae(s)}:{isMasked:ae(s)})} /> ${n}</label>`}function Sr({factor:e,query:t,allowed:n}){let{softmax:o}=a.view,{temperature:s,isScaled:r,isMasked:i}=o,l=p=>fo({temperature:10**Number(C(p))}),c=u`<button id="own-softmax" @click=${()=>fo(ft)}>As the model has it</button>`;return u`<div class="controls together" data-unsaved>
      <label
        >${k("temperature","temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-vr}
          max=${vr}
          step="0.05"
          .value=${String(Math.log10(s))}
          aria-label="Temperature of this row"
          aria-valuetext=${s.toFixed(2)}
          @input=${l}
        />
        <span class="number">${s.toFixed(2)}</span></label
      >
      ${e===1?h:Tr("scaled",r,`1 ÷ √${t.length}`)}
      ${n.every(Boolean)?h:Tr("masked",i,"mask")} ${Nt(o)?h:c}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`}function Zl(e,t){let n=Ln(t,ft).entropy.toFixed(2),o=u`, in place of <span class="number">${n}</span>`;return u`<p class="hint" id="row-spread">
    The weights are spread by <span class="strong number">${e.entropy.toFixed(2)}</span> nats
    (entropy)${Nt(a.view.softmax)?h:o}.
  </p>`}function Rr(e,t){let{softmax:n}=a.view,o=Ln(t,n),{keys:s,scores:r,exponentials:i,highest:l,total:c,weights:p}=o,d=s.slice(0,Yl),m=d.includes(e.key)||!s.includes(e.key)?d:[...d,e.key],f=Nt(n),b=u` <span class="hint">(hidden)</span>`,y=M=>u`<tr class=${M===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[M])}</bdi>${t.allowed[M]?h:b}</td>
      <td class="number">${r[M].toFixed(2)}</td>
      <td class="number">${i[M].toFixed(3)}</td>
      <td class="number">${p[M].toFixed(3)}</td>
      ${f?h:u`<td class="number">${t.weights[M].toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${S({width:`${100*p[M]}%`})}></span></span>
      </td>
    </tr>`,w=s.length-m.length,A=n.temperature===1?"":` ÷ ${n.temperature.toFixed(2)}`,R=`score − ${l.toFixed(2)}`;return u`<table id="softmax" class=${f?"":"compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${A?`(${R})${A}`:R})</th>
          <th>÷ ${c.toFixed(2)} = weight</th>
          ${f?h:u`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${m.map(y)} </tbody>
    </table>
    ${w>0?u`<p class="hint">and ${w} more keys.</p>`:h} ${Zl(o,t)}`}var Ar=320,Er=18;function Oe(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=Ar/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,l=(c,p)=>j`<rect x=${p*r} width=${r} height=${Er} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return u`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Ar} ${Er}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(l)}
    </svg>
  </div>`}var Ql=.01,ec=.12;function tc({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>u`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${S({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return u`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function nc({likelier:e,said:t}){if(!e.length&&!t)return h;let n=()=>u`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>u`Read by the output layer, it makes these likelier, most of all the first:
    ${e.map(([s,r])=>u`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)}
    (${k("logit","logits")}).`;return u`<p>${e.length?o():h} ${t?n():h}</p>`}function oc({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,p)=>p===0||n.weights[c]>=Ql),r=n.weights.length-s.length,i=Math.max(0,1-s.reduce((c,p)=>c+n.weights[p],0)),l=s.map((c,p)=>{let d=n.weights[c],m=u`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${d.toFixed(2)}</span>`,f=Math.max(ec,d);return Oe(`value ${p}`,m,n.values[p],{max:o,opacity:f})});return u`<p>
      Each of these tokens has a ${k("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${l}
    ${r?u`<p class="hint">and ${r} more keys, together × ${i.toFixed(2)}.</p>`:h}
    ${Oe("sum",u`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${tc(n)}</div>
    ${nc(n)}`}function Pr(e){ys(e);let{writes:t}=a.inspection,n=ze(),o=t!==null&&t.cell!==he(e.row,a.view.head);return u`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?u`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?oc({keys:t.result.keys,labels:t.view.keys.labels},t.result):u`<p class="hint">…</p>`}
  </div>`}function sc({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:l}=t;if(!l[e])return u`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),p=f=>u`<span class="number">${f.toFixed(3)}</span>`,d=u`, times ${p(s)} (1 ÷ √${n.length})`,m=u`, plus ${p(i[e])} for the positions`;return u`<p id="score">
    The sum, ${p(c)}${s===1?h:d}${i[e]?m:h}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function rc(e,t){let n=u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=u`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=st(e,e.row),r=s?u`the place that is ${le(s)}`:u`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",l=s?.writes?u`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return u`<p class="hint" id="place">The query belongs to ${r}.</p>
    ${Oe("query",l,t.query)} ${Oe("key",u`key of ${o}`,t.key)}
    ${Oe("terms",i,t.terms)} ${sc(e,t)} ${Sr(t)}
    ${Rr(e,t)} ${Pr(e)}
    <p class="legend"><span>below 0 ${z("less")}</span> <span>above 0 ${z("more")}</span></p>`}function ic(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return P("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((p,d)=>[p,n[d],o[d],Number(s[d]),r[d]])],()=>({head:a.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:a.inspection.writes?.result??null}))}function Mr(){let e=kt(),t=a.inspection.result;if(!t||!e||a.server.storedPage)return h;let{showsComputation:n,groupsWords:o,head:s}=a.view,r=t.weights.has(s);n&&!o&&bs(e);let i=n&&r&&!o?a.inspection.lookup:null,l=W()||i!==null&&i.cell!==Zn(e),p=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?rc(i.view,i.result):"…":"What is shown is not one head. Choose a head in the grid.":"The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values: this shows the numbers.";return u`<section class="panel computed ${l?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${k("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?ic(i.view,i.result):h}
    </div>
    ${typeof p=="string"?u`<p class="hint">${p}</p>`:p}
  </section>`}var ac="reads token by token: it has no mask to take away",go={shuffle:{button:"Shuffle the words",says:"The model reads the words of the text in another order.",refuses:{decoder:"reads no other text than its own"}},"no-positions":{button:"Take positions away",says:"Nothing tells the model any more where a token stands: neither positions that are added to embeddings, nor those in the scores. Attention alone sees a set of tokens; the mask is left.",refuses:{rnn:"reads token by token: it has no positions to take away"}},future:{button:"Let it see the future",says:"No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was trained with the mask, so it has not learnt what to do with them.",refuses:{rnn:ac}}},_r=0;function lc(){let e=v()?.arch??"",t=n=>{let{button:o,refuses:s}=go[n],r=s[e],i=a.inspection.experiment?.result.change===n,l=()=>{n==="shuffle"&&(_r+=1),xs(n,_r)};return u`<button
      data-change=${n}
      aria-pressed=${i}
      ?disabled=${r!==void 0}
      title=${r?`This model ${r}.`:h}
      @click=${l}
      >${o}</button
    >`};return u`<p class="together" data-unsaved>${Object.keys(go).map(t)}</p>`}var Or=e=>e.reduce((t,n)=>t+n,0);function cc({change:e,source:t,tokens:n,before:o,after:s}){let r=s.map((d,m)=>d-o[m]),[i,l]=[Or(o),Or(s)],c=(d,m)=>u`<span class="strong number" id=${m}>${d.toFixed(2)}</span>`,p=u`<p>It reads: <bdi class="strong" id="shuffled">${t}</bdi></p>`;return u`<p>${go[e]?.says}</p>
    ${e==="shuffle"?p:h}
    <p>
      The same ${v()?.direction?"translation":"text"} then has a log-probability of
      ${c(l,"sum-after")} in place of ${c(i,"sum-before")} (<span class="number"
        >${nn(l-i,2)}</span
      >
      ${k("log-probability","nats")}). Of each token:
    </p>
    ${on(n,r,"nats")}
    <p class="legend">
      <span><i class="less"></i> less likely then</span>
      <span><i class="more"></i> more likely</span>
    </p>`}function uc(e){let{tokens:t,before:n,after:o}=e;return P("experiment",[".experiments .changes"],()=>[["token","before","after"],...t.map((r,i)=>[r,n[i],o[i]])],()=>e)}function Cr(){let{result:e,experiment:t,snapshot:n}=a.inspection;if(!X()||!e||n!==null)return h;let o=t?.inspection===e?t.result:null,s=u`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;return u`<section class="panel experiments ${W()?"stale":""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${o?uc(o):h}
    </div>
    ${lc()} ${o?cc(o):s}
  </section>`}var pc=5,dc=480,Lr=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function Hr(e){let{importance:t,importanceByToken:n}=a.heads,{sentence:o}=a.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return h;let i=T()?0:1,l=Math.max(0,Math.min(a.view.outputPosition-i,r-1)),c=e.findIndex((b,y)=>b===a.view.head&&s[y].length),p=$(Se()[l]??""),d=c<0?"":`${e[c]} is worth ${s[c][l].toFixed(3)} nats for ${p}.`,m=b=>{b&&qs(b,s,r)},f=b=>{let y=b.target.getBoundingClientRect(),w=e[Lr(b.clientY-y.top,y.height,e.length)],A=Lr(b.clientX-y.left,y.width,r)+i;g({view:{head:w,outputPosition:Math.min(A,o.tokens.length-1)}})};return u`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${d}"
      ${tt(m)}
      ${S({height:`${Math.min(pc*e.length,dc)}px`})}
      @pointerdown=${f}
    ></canvas>
    <p id="sweep-cell" role="status">${d||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${z("less")}</span>
      <span>less likely ${z("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${T()?", the end included":" after the first"}.
    </p>
  </details>`}var hc=44,mc=.4,bo={place:()=>0,worth:({head:e})=>-(a.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},Ir=()=>a.heads.sortBy!=="place"&&Object.hasOwn(bo,a.heads.sortBy);function Wr(){let{heads:e}=a.inspection.result;if(Ir()){let n=bo[a.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>_(n.head)))].map(n=>({layer:n,heads:e.filter(o=>_(o.head)===n)}))}var Dr=()=>a.inspection.result.heads.map(e=>e.head),Br=e=>Dr().filter(t=>_(t)===_(e));function Fr(e){let t=Dr().filter(s=>s!==e),{disabled:n}=a.heads,o=n.length===t.length&&!n.includes(e);re(o?[]:t)}function fc(e,t){let n=Wr().map(({heads:p})=>p.map(d=>d.head)),o=n.findIndex(p=>p.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),l=(p,d)=>p[Math.max(0,Math.min(d,p.length-1))];return{ArrowLeft:l(r,i-1),ArrowRight:l(r,i+1),ArrowUp:l(l(n,o-1),s),ArrowDown:l(l(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var Nr={n:()=>Ne(1),p:()=>Ne(-1),PageDown:()=>Ie(1),PageUp:()=>Ie(-1)};function gc(e,t){if(nt(e))return;let n=fc(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(Nr,e.key))Nr[e.key]();else if(e.key===" "&&J())je(e.shiftKey?Br(t):[t]);else if(e.key==="s"&&J())Fr(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${a.view.head}"]`)?.focus())}function bc(e){let t=Math.max(...Object.values(a.heads.importance??{}),1e-9),n=pe("more",mc*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return u`<span class="tag number" aria-hidden="true" ${S({background:n})}>${o}</span>`}function yc({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function wc(e,t){let{head:n}=e,o=a.inspection.result.weights.get(n),s=a.heads.disabled.includes(n),r=a.heads.importance?.[n],i=yc(e),l=p=>{p&&Fs(p,o,hc)},c=n.replace(/^(\w)\w+/,"$1");return u`<button
    class="cell ${s?"off":""}"
    aria-pressed=${a.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${p=>gc(p,n)}
    ><canvas ${tt(l)}></canvas>
    ${Ir()?u`<span class="tag" aria-hidden="true">${c}</span>`:h}
    ${r===void 0?h:bc(r)}</button
  >`}function $c(e){let t=a.heads.disabled.includes(e),n=Br(e).filter(o=>o!==e);return u`<button id="toggle" data-unsaved @click=${()=>void je([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>Fr(e)}>Solo</button>
    <button data-unsaved @click=${()=>void re(n)}>Solo in its layer</button>`}function xc({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e],i=u`, ${k("offset","offset")} ${s?.toFixed(1)}`;return u`<div class="chosen">
    <p class="strong" id="head-words">${Bt(e)}</p>
    ${J()?u`<p class="together">${$c(e)}</p>`:h}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${k("label",t)}; ${k("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${k("highest","highest weight")}
      ${o.toFixed(2)}${s===null?h:i}, mean over
      rows.${r===void 0?h:u` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var kc={entropy:"spread (entropy)",sharpness:"highest weight"};function vc(){let{sortBy:e,importance:t}=a.heads,n=Object.keys(bo).filter(s=>s!=="worth"||t),o=s=>u`<option value=${s} ?selected=${s===e}>${kc[s]??s}</option>`;return u`<label
    >Order
    <select id="order" @change=${s=>g({heads:{sortBy:C(s)}})}>
      ${n.map(o)}
    </select></label
  >`}function Tc(e,t){if(!e)return h;let n=`Layer ${e.split(".")[1]}`;return J()?u`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void je(t)}
    >${n}</button
  >`:u`<span class="site">${n}</span>`}function Sc(e){return!(a.inspection.result?.target!=null)||e==="encoder"?"The text reads itself":e==="cross"?"The translation reads the text":"The translation reads what is written (grey: not written yet)"}function Rc(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function Ac(e,t){let[n]=e[0].layer.split(".");return u`<div class="group">
    ${n?u`<p class="kind hint">${Sc(n)}</p>`:h} ${e.map(o=>Ec(o,t))}
  </div>`}function Ec({layer:e,heads:t},n){let o=t.map(s=>s.head);return u`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${Tc(e,o)}
    <div class="cells ${e?"":"sorted"}" ${S({"--count":String(t.length)})}>
      ${t.map(s=>wc(s,s.head===n))}
    </div>
  </div>`}function Pc(){let{heads:e}=a.inspection.result,{importance:t,importanceByToken:n,disabled:o}=a.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return P("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?Se():[]],...e.map(({head:c,label:p,entropy:d,confidence:m,offset:f})=>{let b=t?n[c]??[]:[];return[c,p,d,m,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function qr(){let e=a.inspection.result;if(!e)return u`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=a.heads,n=e.heads.find(c=>c.head===a.view.head),o=Wr(),s=n?.head??o[0]?.heads[0]?.head,r=u`<button id="rank" @click=${()=>void Ue()}>Rank all heads</button>
    <span class="hint">by ${k("worth","worth")}</span>`,i=()=>Me("heads-off.txt",`${t.join(`
`)}
`);return u`<section
    class="panel heads ${W()?"stale":""}"
    aria-labelledby="heads-title"
    ${S({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${vc()} ${X()&&J()?r:h}
      ${t.length?u`<button @click=${i}>List of heads that are off</button>`:h}
      ${Pc()}
    </div>
    ${n?xc(n):h}
    <div id="heads">${Rc(o).map(c=>Ac(c,s))}</div>
    ${Hr(o.flatMap(({heads:c})=>c.map(p=>p.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${J()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":h}
    </p>
  </section>`}var yo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function hn(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:yo(),block:"start"})})}var jr=150,Tt=40,wo=84,vt=jr-wo/2,Mc=e=>/\.\d+\.\d+$/.test(e);function _c(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&a.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function Oc({parts:e}){return Object.keys(e).filter(Mc).sort((n,o)=>e[o]-e[n])[0]}function Cc({name:e,length:t,total:n},o,s){let r=y=>Math.min(wo,Math.max(1,wo*y/s)),[i,l]=[r(o),r(n)],c=Math.min(Tt,r(t)),p=e==="embeddings",d=p?l:i,m=Tt/2,f=vt-i/2,b=`M 0 ${m} C 30 ${m}, ${f-14} ${m}, ${f+6} ${m+4}`;return j`<path class="state" d="M ${vt-d/2} 0 L ${vt+d/2} 0
      L ${vt+l/2} ${Tt} L ${vt-l/2} ${Tt} Z"></path>
    ${p?h:j`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function Lc(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:l}=e,c=Oc(e),p=c!==void 0&&_(a.view.head)===s,d=()=>{ee(c),hn(".alignment")},m=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=_c(s),b=u`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${d}
    >${f}</button
  >`;return u`<div class="junction ${p?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${jr} ${Tt}" preserveAspectRatio="none" role="img" aria-label=${m}>
      <title>${m}</title>
      ${Cc(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${l?u`<bdi class=${l[0]===o?"strong":""}>${$(l[0])}</bdi
            ><span class="number">${(100*l[1]).toFixed(0)} %</span>`:h}
  </div>`}function Ur(e,t){if(a.server.storedPage||ze()||!a.inspection.result?.weights.size)return;ws(e);let{stream:n}=a.inspection;if(!n)return u`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:p})=>p)),[r]=o,{token:i,position:l}=r?.parts??{},c=u`The embedding of the token is ${i?.toFixed(1)} long, that of its position
  ${l?.toFixed(1)}.`;return u`<div class="captions" aria-hidden="true">
      <span></span><span></span><span class="number length">adds</span><span>would write</span>
    </div>
    <div class="stream ${n.cell===he(e)?"":"stale"}" role="list">
      ${o.map((p,d)=>Lc(p,{before:o[d-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      ${k("stream","The state")} of the place above, from the embedding of the token that it has read, downwards:
      each attention and each feed-forward layer adds a vector of this length. Then the token that the output layer
      would write from the state as it is there (the ${k("lens","logit lens")}). Before the last layers it is a hint
      only: the state is made for the layers that follow.
      ${l===void 0?"The embedding has no part for the position.":c}
    </p>`}var Hc=5;async function Ce(){Ge(),await Gr()}async function Vr(){let{text:e}=a.request,t=Z(),n=()=>t!==null&&Z()===t&&a.request.text===e&&!a.status.error;await Gr();for(let o of t?.edits??[])n()&&await Nc(o);t&&n()&&await Ic(t,n),Z()===t&&!a.status.error&&Ge(),g({})}async function Nc({sentenceIndex:e,edit:t}){if(!a.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=a.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?Jr(t.position,t.token,t.prefix):rt(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await B()}async function Ic(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=a.heads;s&&t()&&await de(),r&&t()&&await Ue(),g({heads:{sortBy:i}}),o&&t()&&await St(o),n!==null&&v()?.snapshots?.includes(n)&&t()&&await Xt(n)}async function Gr(){let{text:e,isHtml:t}=a.request;if(Ae("inspect"),!T())return;if(!e.trim())return Ae("translate"),g(...It);if(t)return await Wc(e);await E("translate","Translating",async o=>{let s=De(),r={...U(),...s,text:e,alternatives:We};await Kr(r,o,{decoding:s},i=>{let l=Math.max(0,Math.min(a.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:l}})})})&&x()?.isDone&&await B()}async function Wc(e){await E("translate","Translating",async t=>{let n={...U(),...De(),text:e,format:"html"},{text:o}=await O("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},In)})}async function Kr(e,t,n,o){let s=a.request.temperature?{}:{n_best:Math.min(a.request.beamSize,Hc)},r=[];for await(let{name:i,data:l}of es({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<l.sentences;c++)r.push({...Je(),index:c,...n});continue}if(i==="error")throw new V(l.status,l.message);if(i==="token"){let c=r[l.sentence];c.text=l.text,c.tokens.push(...l.tokens??[])}else i==="done"&&Dc(r,l,n.separator);o(r)}}function Dc(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:l,score:c,source:p,ids:d,n_best:m=[]}=r,f=Math.max(t.indexOf(l,s),s),b={text:l,score:c,source:p,ids:d,nBest:m,isDone:!0,separator:o??t.slice(s,f)};Qn(Object.assign(e[i],b),r),s=f+l.length})}function zr(){let e=Object.values(a.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var Xr=e=>!Ye(e)||T()&&e===zr();async function $o(e,t){let n=x();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);D(),await mn(async()=>{t===zr()?await rt({text:K(o),ids:n.ids.slice(0,e)}):await Jr(e,t,K([...o,t]))})}async function mn(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),qe(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function Jr(e,t,n){let o=x(),{sentences:s}=a.output,{sentenceIndex:r}=a.view;if(!o?.isDone)return;let{source:i,separator:l}=o,c=De(),p={...U(),...c,text:i,prefix:n,split:!1,alternatives:We},d={kind:"prefix",position:e,token:t,prefix:n},m={source:i,separator:l,decoding:c,prefix:n,original:o.original??o,edit:d},f=s,b=await E("translate","Decoding again",async w=>{await Kr(p,w,m,([A])=>{f=s.with(r,A),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&a.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&x()?.isDone&&await B()}async function xo(){let{original:e}=x()??{};e&&(D(),await mn(async()=>{let{sentenceIndex:t,outputPosition:n}=a.view;g({output:{sentences:a.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await B()}))}async function Yr(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...U(),text:e.source,...s,alternatives:We},i=await O("score",r,o),l={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return Qn(l,{...i,tokens:i.tokens.slice(0,-1)}),l}async function St(e){let t=x(),{compared:n}=a.output;if(!t||n&&Jt(n,e))return g({output:{compared:null}});await E("compare","Reading",async o=>{g({output:{compared:await Yr(t,e,o)}})})}async function rt(e){let t=x(),{sentenceIndex:n}=a.view;if(!t)return;await E("translate","Reading",async s=>{let r=await Yr(t,e,s),i=Math.max(0,Math.min(a.view.outputPosition,r.tokens.length-1));g({output:{sentences:a.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await B()}var Qr=.55,Bc=-3,it=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,ko=e=>({background:e===null?"":pe("doubt",Qr*Math.min(1,e/Bc))});function ei(e,t){let n=a.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&B()}function Fc(e,t,n){let o=a.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||nt(e)||(e.preventDefault(),ei(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function ti({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function qc(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=a.view,l=a.view.sentenceIndex===n,c=l&&i===t,p=t===0&&(!l||i>=e.tokens.length),d=ti(e,r,t);return u`<button
    class="token ${o?"new":""} ${d?"prefix-end":""} ${s}"
    ${S(ko(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||p?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":it(r.log_prob)}
    title=${d?"written by you":h}
    @click=${()=>ei(n,t)}
    @keydown=${m=>Fc(m,n,t)}
    @pointerenter=${m=>Vc(m,n,t)}
    @pointerleave=${ni}
    dir="auto"
    >${$(r.token)}</button
  >`}var jc=200,Uc=280,Zr=8,fn=0;function Vc(e,t,n){if(e.pointerType==="touch"||(clearTimeout(fn),!a.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function ni(){clearTimeout(fn),fn=window.setTimeout(()=>{a.view.hoveredToken&&g({view:{hoveredToken:null}})},jc)}function gn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=a.view;if(!t)return h;let{sentenceIndex:s,position:r,left:i,bottom:l}=t,c=a.output.sentences[s],p=c?.tokens[r];if(!p||s===n&&r===o)return h;let d=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},m=innerWidth-Uc-Zr,f={left:`${Math.max(Zr,Math.min(i,m))}px`,top:`${l}px`};return u`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(fn)}
    @pointerleave=${ni}
    ${S(f)}
  >
    ${oi(c,p,d,-1)}
  </div>`}function oi(e,t,n,o){let s=(r,i)=>{let l=r===t.token;return u`<button
      class="bar ${l?"own":""}"
      tabindex=${o}
      ?disabled=${l||!e.isDone||!Xr(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${S({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${it(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function bn(e){let t=x(),{outputPosition:n}=a.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return h;let s=$(o.token);return u`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${oi(t,o,r=>void e(n,r),0)}
  </div>`}var Gc=e=>u`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void xo()}
    >✕</button
  >`,vo=(e,t)=>t&&e.startsWith("▁")?" ":h;function Kc(e,t){let{original:n}=e;if(!n||!e.isDone)return h;let o=u`<button id="take-back" data-unsaved @click=${()=>void xo()}>Take it back</button>`;return u`<p class="before hint">
    before: <bdi>${Pe(n.text,e.text,"deleted")}</bdi> ${t===a.view.sentenceIndex?o:h}
  </p>`}function at(e,t){let n=eo(e),o=e.tokens.map(c=>c.token),s=!e.isDone&&a.status.busy.translate,r=o.map((c,p)=>{let d=Ze(o,p),m=qc(e,p,t,n[p],d),b=e.isDone&&ti(e,e.tokens[p],p)&&t===a.view.sentenceIndex;return u`${vo(c,p)}${m}${b?Gc(c):h}`}),i=me(K(o)),l=`Sentence ${t+1}`;return u`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${l}>
      ${r}${s?u`<span class="caret"></span>`:h}
    </p>
    ${Kc(e,t)}`}function lt(){let e=a.output.sentences.some(s=>eo(s).some(Boolean)),t=x()?.edit?.kind==="prefix",n=u`<span><u class="new">underlined</u>: other than before</span>`,o=u`<span><span class="token prefix-end">framed</span>: written by you</span>`;return u`<p class="legend" id="doubts">
    <span>${k("probability","the model was sure")} ${z("doubt",Qr)} unsure</span>
    ${e?n:h} ${t?o:h}
  </p>`}function ct(){let e=a.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let l=[n,i,o,s];return r.length?r.map(c=>[...l,...c]):[[...l,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var zc=900,si=0;function ri(){g({view:{isPlaying:!a.view.isPlaying}}),clearInterval(si),a.view.isPlaying&&(si=window.setInterval(Xc,zc))}function Xc(){let e=(a.inspection.sentence?.tokens.length??1)-1;a.view.outputPosition>=e?ri():g({view:{outputPosition:a.view.outputPosition+1}})}var Jc=e=>e?`layer ${e-1}`:"embeddings";function Yc(e,t,n){let o=(s,[r,i])=>u`<div class="change" role="listitem">
      <span>${Jc(s)}</span
      ><span class="track"><span ${S({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return u`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${k("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function Zc(e,t){return P("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],l)=>[l,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:a.inspection.stream?.result.sublayers??null}))}function Qc(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=a.view,l=typeof r=="number"?u` (<span id="probability">${it(r)}</span>)`:h,c=e.tokens.map(y=>y.token),p=u`<bdi class="strong">${$(s)}</bdi>${l}`,d=!n&&a.inspection.result.target!==null,m=()=>le(uo(c,t),"about",l),f=u`${p}; this place is ${le(po(c,t))}`,b=d?m():n?f:p;return u`<div class="controls">
    <button id="play" @click=${ri} aria-label=${i?"Pause":"Play"}
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
      @input=${y=>g({view:{outputPosition:Number(C(y))}})}
    />
    <span>token ${t+1} of ${o+1}: ${b}</span>
  </div>`}function eu(){let e=t=>{let n=`${L}${t}`,o=()=>{ee(n),hn(".alignment")};return u`<button aria-pressed=${a.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return u`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${k("flow","through all layers")}:</span>
    ${ue.map(e)}
  </p>`}function ii(){let{sentence:e,result:t,flow:n}=a.inspection;if(!t||!e)return h;let{storedPage:o}=a.server,{lens:s,target:r,token_log_probs:i}=t,l=s.length>0,c=Math.max(0,Math.min(a.view.outputPosition,e.tokens.length-1)),p=r===null&&i.length>0,d=e.tokens[p?c+1:c]?.token,m=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&a.view.head.startsWith(L);return u`<section class="panel layers ${W()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${l?Zc(e,s):h}
    </div>
    ${Qc(e,c,p)}
    ${Ur(c,d)??(l?Yc(s,c,d):u`<p class="hint">${m}</p>`)}
    ${o?h:eu()}
    ${f?u`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:h}
  </section>`}var ai=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function tu({trace:e}){let t=ai(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,l)=>{let{fate:c,token:p,id:d}=i,m=i.parent===null?t:n[i.parent];if(!m||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?m.path:[...m.path,p],y=f?m.ids:[...m.ids,d],w={...ai(),id:`${o}.${l}`,step:o+1,token:p,candidate:i,path:b,ids:y};return m.children.push(w),w})}return t}function To(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(l=>To(l,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var Rt=null;function li(e,t){if(Rt?.trace===e&&Rt.ids===String(t))return Rt;let n=tu(e),o=e.trace.length,s=To(n,t,o);s||To(n,e.sentences[0]?.ids??[],o);let r=[],i=0,l=(p,d,m)=>{let f={node:p,parent:d,x:8+84*m,y:32*(i+1)};r.push(f),p.children.length||(i+=1);let b=[...p.children].sort((y,w)=>Number(w.isOnBestPath)-Number(y.isOnBestPath));for(let y of b)l(y,f,m+1)};l(n,null,0);let c=Math.max(...r.map(p=>p.x))+84;return Rt={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},Rt}function ci({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function ui({nodes:e},t,n){let o=e.filter(l=>l.x===t.x).sort((l,c)=>l.y-c.y),[s]=e.filter(l=>l.parent===t).sort((l,c)=>l.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var pi=9,nu={active:"went on",finished:"ended",dropped:"was dropped"};function ou(e){let t=[...$(e)];return t.length>pi?`${t.slice(0,pi-1).join("")}…`:t.join("")}function di({path:e,ids:t}){e.length&&(D(),rt({text:K(e),ids:t}))}async function su({path:e,ids:t}){await St({text:K(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function ru({node:e}){let{fate:t,score:n}=e.candidate,o=K(e.path),s=String(e.ids)===String(x()?.ids),r=u`<button id="open" @click=${()=>di(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void su(e)}>Compare with the chosen one</button>`;return u`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${nu[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:h}
  </p>`}function iu(e,t,n){let s=e.key==="Enter"||e.key===" "?n:ui(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var hi=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function au(e){return j`<path class="branch ${hi(e)}" d=${ci(e)}></path>`}function lu(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:l}=o.candidate;return j`<g class="node ${hi(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===a.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${l.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>di(o)}
      @keydown=${c=>iu(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${ou(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${l.toFixed(2)}</text>
    <title>${K(o.path)} (${l.toFixed(3)})</title></g>`}function cu(e,t){let n=e.nodes.slice(1),o=t??n[0];return u`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(au)} ${n.map(s=>lu(e,s,s===o))}
    </svg>
  </div>`}function uu(e,t,n){if(t)return u`<p class="hint">This is the search for another translation.</p>`;if(n)return h;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return u`<p class="hint" id="unsearched">${o}</p>`}function pu(e,t,n){let o=li(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===a.search.candidate),r=u`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return u`${cu(o,s)} ${s?ru(s):h}
    ${uu(t,n,o.isFound)} ${t.prefix?r:h}
    <p class="hint">
      From left to right, a step for each token; below each token is its score.
      <span class="sign best">${o.isFound?"The chosen hypothesis":"The best hypothesis"}</span>, in the top row,
      <span class="sign dropped">dropped</span> (of each step, the best two), <span class="sign finished">ended</span>.
      Click a token to open its text in the other panels, or to compare it.
    </p>`}function du(e){return P("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:l,fate:c},p)=>[o+1,p,s,r,i,l,c]))],()=>e)}function mi(){let e=x(),{trace:t}=a.search;if(!a.inspection.result||!e||!T())return h;let n=t!==null&&t.requestKey!==Ke(e),o=u`<p class="hint">
    Beam search keeps the ${a.request.beamSize} best beginnings at each step. This draws all that it tried.
  </p>`;return u`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${k("search","Search")}</h2>
      <button id="search" @click=${()=>void de()}>${t?"Search again":"Show the search"}</button>
      ${t?du(t):h}
    </div>
    ${t?pu(t,e,n):o}
  </section>`}function fi(){let e=v()?.snapshots??[];if(!e.length||!T()||!x()?.isDone)return h;let{snapshot:t,result:n}=a.inspection,o=t===null?e.length:e.indexOf(t),s=l=>{let c=e[Number(C(l))];c===void 0?B():Xt(c)},r=t===null?"the model itself":u`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=u`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return u`<section class="panel snapshots ${W()?"stale":""}" aria-labelledby="snapshots-title">
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
  </section>`}function gi(){let e=a.inspection.result,t=x(),{note:n,says:o}=a.server.storedPage;return u`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${P("text",["#text",".stored .output[data-sentence]"],ct,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?u`<p dir="auto" id="says">${o}</p>`:h} ${at(t,0)}
    ${e.token_log_probs.length?lt():h}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?u`<p class="hint" id="note">${n}</p>`:h}
  </section>`}function bi(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function hu(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function yn(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,l=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...Je(),source:t,text:n??t,isDone:!0,tokens:(l?r.slice(0,-1):r).map((p,d)=>({token:p,log_prob:s[d-c]??null,alternatives:[]}))}}async function mu({packed:e,bytes:t,parts:n}){let o=await hu(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,l=0;for(let{heads:c,rows:p,keys:d}of n)for(let m of c){let f=l+p*d;i.set(m,{rows:p,keys:d,values:s.subarray(l,f),scale:r-1,forbidden:r}),l=f}return i}async function yi(e){let t=await mu(e),n={...e.inspection,request:{},weights:t},o=yn(n),{text:s}=n;Kt(),Te({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=a.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var wi=[20,50,100,200];async function fu(e,t,n){let o={model:v().name,prompt:e,...t,logprobs:We,echo:!0},{choices:s}=await O("v1/completions",o,n),{text:r,logprobs:i}=s[0];if(!i)throw new Error("The server must send the log-probabilities that were asked for.");let l=i.tokens.map((c,p)=>({token:c.replaceAll(" ","▁"),log_prob:i.token_logprobs[p]??null,alternatives:Object.entries(i.top_logprobs[p]??{}).sort((d,m)=>m[1]-d[1])}));return{text:r,ids:i.token_ids,tokens:l}}async function gu(e,t){let{name:n,max_tokens:o}=v(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await O("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function So(e=null){let{text:t}=a.request,n=e?.prefix??t,o=e&&(x()?.original??x()??null);await E("translate","Writing",async s=>{let{name:r,max_tokens:i}=v(),{temperature:l,seed:c}=a.request,p=Math.min(a.request.maxTokens,await gu(n,s));if(p<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let d={max_tokens:p,temperature:l,seed:c},{text:m,tokens:f,ids:b}=await fu(n,d,s),y=b.slice(0,i??b.length),w=await Fe({model:r,text:m,ids:y},s),A=yn(w).tokens,R={...Je(),source:n,text:m,ids:y,decoding:d,original:o,edit:e,isDone:!0,tokens:A.map((ye,Pt)=>({...ye,alternatives:f[Pt]?.alternatives??[]}))},M=Math.max(0,Math.min(e?.position??0,A.length-1));g({output:{sentences:[R],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:M,hoveredToken:null},search:{trace:null}}),yt(w,R)}),a.heads.disabled.length&&!N()&&await Y()}async function Ro(e,t){let n=x().tokens.slice(0,e),o=K([...n.map(s=>s.token).filter(s=>!Ye(s)),t]);D(),await mn(()=>So({kind:"prefix",position:e,token:t,prefix:o}))}async function bu(){let{text:e}=a.request;await E("translate","Reading",async t=>{let n=await Fe({model:v().name,text:e},t),o=yn(n),s=n.predicted?.length?await O(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),yt(n,o)}),a.heads.disabled.length&&!N()&&await Y()}async function wn(){Ge(),D(),await At()}async function At(){if(T())return await Vr();let e=Z(),{outputPosition:t}=a.view,n=v()?.arch==="decoder";await(n?So():bu());for(let{edit:o}of e?.edits??[])Z()===e&&o.kind==="prefix"&&n&&await So(o);if(e?.ranksHeads&&Z()===e&&await Ue(),e&&Z()===e){Ge();let o=(x()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function $n(){let[e]=v()?.examples??[];e&&!a.request.text&&g({request:{text:e},output:{isExample:!0}})}function $i(e){let t=v();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...a.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),$n(),Ao(t),a.request.text.trim()&&wn()}function Ao(e){let t=v(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==T()||!a.request.text.trim())&&g(...It)}var xn=[0,.5,.8,1,1.3],yu=/^und-und(-x-|$)/;function kn(){let{modelName:e}=a.request,{models:t}=a.server;if(t.length<2)return u`<span class="hint">${yu.test(e)?h:e}</span>`;let n=o=>u`<option value=${o} ?selected=${o===e}>${o}</option>`;return u`<select id="model" aria-label="Model" @change=${o=>$i(C(o))}>
    ${t.map(o=>n(He(o)))}
  </select>`}function be(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,p)=>c-p),l=c=>u`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return u`<select id=${e} aria-label=${s} @change=${c=>o(Number(C(c)))}>
    ${i.map(l)}
  </select>`}var vn=()=>a.status.busy.translate?u`<button @click=${()=>Ae("translate")}>Stop</button>`:h;var wu=[0,1,2,5,10,50],$u=1,Eo=e=>g({view:{sampling:{...a.view.sampling,...e}}}),xi=e=>`${(100*e).toFixed($u)} %`;function ki(e,t,n,o){let s=r=>{let i=Number(C(r));Eo(e==="next-temperature"?{temperature:i}:{topP:i})};return u`<label
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
  >`}function xu({tokens:e,num_others:t,others:n,others_drawn:o}){let s=(i,l,c)=>u`<tr>
      <td>${i}</td>
      <td class="number">${xi(l)}</td>
      <td class="number">${xi(c)}</td>
      <td class="fill">
        <span class="track"><span ${S({width:`${100*c}%`})}></span></span>
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
      ${e.map(({token:i,prob:l,drawn:c})=>s(u`<bdi>${$(i)}</bdi>`,l,c))}
      ${t?s(r,n,o):h}
    </tbody>
  </table>`}function ku(e){let{temperature:t,topK:n,topP:o}=a.view.sampling,{beamSize:s}=a.request,[r]=e.tokens,i=u`A ${k("beam-search",`beam of ${s}`)} tries no more than the first ${s} after this
  beginning, and goes on with the best of all its beginnings.`,l=e.num_drawable.toLocaleString("en");return u`<p>
      Greedy search takes <bdi class="strong">${$(r?.token??"")}</bdi>.
      ${T()&&s>1?i:h} Sampling draws one of
      <span class="strong number" id="drawable">${l}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${ki("next-temperature","temperature",t,2)}
      <label
        >top k
        ${be("next-top-k",wu,n,c=>Eo({topK:c}),"Top k",c=>c||"all")}</label
      >
      ${ki("next-top-p","top p",o,1)}
    </div>
    ${xu(e)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`}var vu=()=>T()?a.view.outputPosition:a.view.outputPosition-1;function Tn(){let{sentence:e,result:t,next:n}=a.inspection,o=vu();if(!X()||!t||!e||e!==x()||o<0)return h;let{isOpen:s}=a.view.sampling,r=s?$s(o):"",i=n?.cell!==r;return u`<details
    id="next-token"
    ?open=${s}
    @toggle=${l=>Eo({isOpen:l.target.open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${i?"stale":""}>${n&&s?ku(n.result):h}</div>
  </details>`}var vi=.6,ce=()=>v()?.arch==="decoder",Tu=({label:e,prob:t})=>u`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${S({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function Su(){let e=a.inspection.result?.predicted,{attribution:t}=a.output;if(!e?.length)return h;let n=v()?.task==="classify"?"the likeliest class":"the chosen token",o=u`<p class="legend">
      <span>${k("moved","moved it")} little ${z("heat",vi)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return u`<div id="predicted" role="list">${e.map(Tu)}</div> ${t?o:h}`}function Ru(){let e=x();if(!e||!a.inspection.result)return h;let{outputPosition:t}=a.view,n=a.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let l=o?.[i]??0;return u`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${l.toFixed(3)}
      ${S({background:o?pe("heat",vi*l):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${$(r)}</button
    >`};return u`<p class="output" id="moved" dir=${me(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function Au(){let{text:e,maxTokens:t,temperature:n}=a.request,o=be("length",wi,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=be("temperature",xn,n,i=>g({request:{temperature:i}}),"Temperature"),r=u`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return u`<div class="controls">
    <button class="primary" @click=${()=>void wn()} ?disabled=${!e.trim()&&!ce()}
      >${ce()?"Continue":"Read"}</button
    >
    ${vn()} ${ce()?r:h}
  </div>`}function Eu(e){let t=["#output","#doubts",".alternatives"];if(ce())return P("continuation",t,ct,()=>a.output.sentences);let n=a.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return P("predicted",t,o,()=>({predicted:a.inspection.result?.predicted,tokens:s,moved:a.output.attribution?.shares}))}function Pu(e){return ce()?e?at(e,0):u`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:u`${Su()} ${Ru()}`}function Ti(){let e=x(),t=ce()&&e!==void 0,n=!!a.status.busy.translate,o=s=>{dn(s)&&wn()};return u`<section class="panel named" aria-label="Text, and what the model makes of it">
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
          aria-label=${ce()?"Text to continue":"Text to read"}
          placeholder=${ce()?"Write how it begins.":"Write or paste a text."}
          .value=${a.request.text}
          @input=${s=>g({request:{text:C(s)}})}
          @keydown=${o}
        ></textarea>
        ${Au()}
      </div>
      <div>
        <div class="head">
          <h2>${ce()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&a.inspection.result?Eu(e):h}
        </div>
        <div class=${F()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${Pu(e)}</div>
          ${t?u`${lt()} ${bn(Ro)} ${Tn()}`:h}
        </div>
        ${t?gn(Ro):h}
      </div>
    </div>
  </section>`}var Si=async()=>{a.heads.disabled.length&&await re([])},Sn=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:se(),showsComputation:!1}}),await Si()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await ee(se())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await Ou(()=>a.inspection.lookup!==null&&!bt("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:se()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>re([se()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(x()?.tokens.length??1)-1)}}),await Si()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:de,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Mu=5e3,_u=20;async function Ou(e){let t=performance.now()+Mu;for(;!e()&&!a.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,_u))}function Cu(){let{disabled:e,undoStack:t,sortBy:n}=a.heads,{sentences:o,sourceText:s}=a.output;return{view:{...a.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...a.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var Mo=null;async function Ri(){let e=v()?.examples?.[0],t=a.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(x()?.isDone&&a.output.sourceText!==""&&!F())||!a.inspection.result||N())&&(t||(D(),g({request:{text:e}})),await Ce(),!x()?.isDone)||(Mo=Cu(),await _o(0))}async function Po(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=Mo,r=o.sourceText===a.output.sourceText,i=a.inspection.sentence===(o.sentences[e.sentenceIndex]??null);Mo=null;let{isPlaying:l}=a.view,{showsComputation:c,groupsWords:p}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:l,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:p}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await B():await Y(),r&&e.head.startsWith(L)&&await ee(e.head),qe(()=>scrollTo({top:s}))}async function _o(e){let t=Sn[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),qe(()=>{if(a.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),Hu(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var Lu=12;function Hu(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(Lu,(s-o)/2)),behavior:yo()})}function Ai(){let e=a.view.tourStop,t=e===null?void 0:Sn[e];if(e===null||!t||!T())return h;let n=e===Sn.length-1,o=r=>{r.key==="Escape"&&Po()},s=u`<button id="tour-back" @click=${()=>void _o(e-1)}>Back</button>`;return u`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${Sn.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void Po()}>End</button>
      <span>
        ${e?s:h}
        <button id="tour-next" class="primary" @click=${()=>void(n?Po():_o(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function Nu(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var Oo="Copied.";async function Ei(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=Nu(e)}rs(t?Oo:"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var Pi=50,Iu=400;async function Mi(e){await E("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let p=0;p<s.length;p+=Pi){let d=s.slice(p,p+Pi),m={...U(),...De(),texts:d,format:o?"html":"text"},{translations:f}=await O("translate",m,t);f.forEach((b,y)=>{let w=p+y+1;if("error"in b)throw new V(Iu,`Line ${w} of ${e.name}: ${b.error.message}`);r.push(b.text)}),jt("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,l]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${v()?.target??"translated"}${l??".txt"}`;Me(c,r.join(`
`),o?"text/html":"text/plain")})}var Wu=300,Du=[1,2,3,5,8,12],Ci=/<\/?[a-z][^>]*>/i,_i=0;function Bu(e){let t=C(e);g({request:{text:t,isHtml:a.request.isHtml&&Ci.test(t)},output:{isExample:!1}}),clearTimeout(_i),_i=window.setTimeout(()=>{Xe(),a.request.translatesWhileTyping&&Ce()},Wu)}function Rn(e){g({request:e}),Ce()}function Li(){D(),Ce()}function Fu(e,t){let{text:n,score:o}=e,s=u`<span class="number">${o.toFixed(3)}</span>`;if(!n)return u`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=a.output,i=r!==null&&Jt(e,r),l=()=>{D(),rt(e)},c=u`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void St(e)}
    >compare</button
  >`;return u`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${l}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?h:c}
  </li>`}var Oi=!1;function qu(){let e=x();if(!e?.isDone)return h;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(l=>l.text===r)===i);if(n.length<2)return h;let o=n.length-1;return u`<details class="nbest" ?open=${Oi} @toggle=${r=>{Oi=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${k("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>Fu(r,e))}
    </ol>
  </details>`}function ju(){let e=x(),{compared:t}=a.output;if(!e?.isDone||!t)return h;let n=({tokens:r})=>r.reduce((i,l)=>i+(l.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},l)=>u`${vo(r,l)}<span
          class="token ${Ze(o,l)}"
          dir="auto"
          title=${it(i)}
          ${S(ko(i))}
          >${$(r)}</span
        >`);return u`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${me(t.text)}>${s}</p>
    <p dir="auto">${Pe(t.text,e.text)}</p>
  </div>`}function Uu(){return u`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&Mi(o),n.value=""}}
  /></label>`}function Vu(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=a.tokenCounts;if(e===null)return h;let s=o===1?"1 sentence is":`${o} sentences are`;return u`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${k("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function Gu(){let{text:e,temperature:t,seed:n,isHtml:o}=a.request,s=u`<button id="again" @click=${()=>Rn({seed:n+1})}>Draw again</button>`,r=u`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>Rn({isHtml:ae(i)})}
    />
    as HTML</label
  >`;return u`${t&&e.trim()?s:h} ${Ci.test(e)?r:h}`}function Ku(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=a.request,s=be("beam",Du,n,i=>Rn({beamSize:i,temperature:0}),"Beam"),r=be("temperature",xn,o,i=>Rn({temperature:i}),"Sampling",i=>i||"off");return u`<div class="controls">
    <button class="primary" @click=${Li} ?disabled=${!e.trim()}>Translate</button>
    ${vn()} ${Gu()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:ae(i)}})}
          />
          while typing</label
        >
        <span class="together">${k("beam","Beam")} ${s}</span>
        <span class="together">${k("sampling","Sampling")} ${r}</span>
        ${Uu()} ${Vu()}
      </div>
    </details>
  </div>`}function zu(){let e=v()?.examples??[];if(!(a.output.isExample||!a.request.text)||!e.length)return h;let n=o=>{D(),g({request:{text:o},output:{isExample:!1}}),Xe(),Ce()};return u`<p class="hint">
    ${a.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===a.request.text?h:u`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function Xu(){let{html:e,sentences:t}=a.output;return e?u`<pre class="html">${e}</pre>`:t.length?t.map(at):u`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function Ju(){let{html:e,sentences:t}=a.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:l})=>`${i??""}${l}`).join(""),s=()=>P("translation",["#output","#doubts",".alternatives"],ct,()=>t),r=u`<button id="copy" @click=${()=>void Ei(o())}
    >${a.status.notice===Oo?"Copied":"Copy"}</button
  >`;return u`${n?r:h} ${t.some(i=>i.isDone)?s():h}`}function Yu(){let{sentences:e}=a.output,t=!!a.status.busy.translate,n=F()||t&&e.every(s=>s.isDone),o=u`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return u`<div>
    <div class="head">
      <h2>Translation</h2>
      ${Ju()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${Xu()}</div>
      ${F()&&!t?o:h} ${e.length?lt():h}
      ${bn($o)} ${Tn()} ${qu()} ${ju()}
    </div>
    ${gn($o)}
  </div>`}function Hi(){let e=t=>{dn(t)&&Li()};return u`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${kn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="2"
          class=${a.output.isExample?"example":""}
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${a.request.text}
          @focus=${t=>{a.output.isExample&&t.target.select()}}
          @input=${Bu}
          @keydown=${e}
        ></textarea>
        ${Ku()} ${zu()}
      </div>
      ${Yu()}
    </div>
  </section>`}var Wi="regard-theme";function Zu(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(Wi,o)}catch{}g({})}function Qu(){return u`<form class="key" @submit=${t=>{t.preventDefault(),Qo(document.querySelector("#key").value),Co()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function ep(){let e=()=>u`${$r()} ${kr()}
      <div class="column">${qr()} ${Js()}</div>
      ${Mr()} ${ii()} ${Cr()} ${fi()}`;return a.server.storedPage?u`${gi()}${e()}`:a.server.models.length?T()?u`${Hi()}${e()}${mi()}`:u`${Ti()}${a.inspection.result?e():h}`:h}var tp=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function np(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return u`<nav class="skips" aria-label="Go to a part of the page">
    ${tp.map(([t,n])=>u`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function op(){return a.server.storedPage?"What the heads look at":T()||!a.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function sp(){let e=Object.values(a.status.busy).at(-1),t=u`<button id="tour" @click=${()=>void Ri()}>Explain</button>`;return u`<header>
    <h1>Regard</h1>
    <p class="hint">${op()}</p>
    <span class="said" role="status">${a.status.notice}</span
    ><span class="status" role="status">${e?u`<span class="spinner"></span>${e} …`:h}</span>
    ${T()?t:h} ${a.server.storedPage?h:u`<a href="docs">API</a>`}
    <button class="theme" @click=${Zu} aria-label="Light or dark">◐</button>
  </header>`}function rp(){let{error:e,needsApiKey:t}=a.status;if(!e)return h;let n=u`<button @click=${()=>void Un()}>Try again</button>`;return u`<p class="error" role="alert">${e} ${t?h:n}</p>`}function ip(){return u`${np()} ${sp()} ${rp()}
    <main>${a.status.needsApiKey?Qu():h} ${ep()}</main>
    ${Ai()}`}function Et(){ds();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(a.status.busy).length>0),Ko(ip(),e)}async function Co(){await ks(),Di(),$n(),a.request.text&&a.server.models.length&&(Xe(),await At())}async function ap(){if(!a.server.models.length||a.status.needsApiKey)return await Co();(F()||!x()||a.output.sentences.some(t=>!t.isDone))&&!(a.output.html&&!F())?a.request.text.trim()&&(Xe(),await At()):N()||!a.inspection.result?await B():a.heads.disabled.length&&a.heads.ablatedSentence!==a.inspection.sentence?await Y():g({})}function lp(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function cp(){try{return localStorage.getItem(Wi)}catch{return null}}var Di=()=>{document.body.dataset.ready="yes"};function up(){let e=v(),t=Xn();g(t,Z()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),$n(),Ao(e),At()}var Ni=cp();Ni&&(document.documentElement.dataset.theme=Ni);Wn(Et);Wn(cs);addEventListener("resize",Et);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Et);Object.assign(globalThis,{regard:{state:a,matrixLayout:yr,unmatchedWords:hs}});var Ii=bi();Ii?(lp(),yi(Ii).then(()=>{Et(),Di()})):(Kt(),os(ap),addEventListener("hashchange",up),Et(),Co());})();
