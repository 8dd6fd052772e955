"use strict";(()=>{var Bn=globalThis,Ft=Bn.trustedTypes,ns=Ft?Ft.createPolicy("lit-html",{createHTML:e=>e}):void 0,qn="$lit$",ue=`lit$${Math.random().toFixed(9).slice(2)}$`,Gn="?"+ue,va=`<${Gn}>`,Pe=document,vt=()=>Pe.createComment(""),Tt=e=>e===null||typeof e!="object"&&typeof e!="function",Vn=Array.isArray,ls=e=>Vn(e)||typeof e?.[Symbol.iterator]=="function",Fn=`[ 	
\f\r]`,kt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,os=/-->/g,ss=/>/g,Re=RegExp(`>|${Fn}(?:([^\\s"'>=/]+)(${Fn}*=${Fn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),rs=/'/g,is=/"/g,cs=/^(?:script|style|textarea|title)$/i,jn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),u=jn(1),N=jn(2),ud=jn(3),St=Symbol.for("lit-noChange"),h=Symbol.for("lit-nothing"),as=new WeakMap,Ae=Pe.createTreeWalker(Pe,129);function us(e,t){if(!Vn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return ns!==void 0?ns.createHTML(t):t}var ps=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=kt;for(let a=0;a<n;a++){let c=e[a],p,d,m=-1,f=0;for(;f<c.length&&(i.lastIndex=f,d=i.exec(c),d!==null);)f=i.lastIndex,i===kt?d[1]==="!--"?i=os:d[1]!==void 0?i=ss:d[2]!==void 0?(cs.test(d[2])&&(s=RegExp("</"+d[2],"g")),i=Re):d[3]!==void 0&&(i=Re):i===Re?d[0]===">"?(i=s??kt,m=-1):d[1]===void 0?m=-2:(m=i.lastIndex-d[2].length,p=d[1],i=d[3]===void 0?Re:d[3]==='"'?is:rs):i===is||i===rs?i=Re:i===os||i===ss?i=kt:(i=Re,s=void 0);let b=i===Re&&e[a+1].startsWith("/>")?" ":"";r+=i===kt?c+va:m>=0?(o.push(p),c.slice(0,m)+qn+c.slice(m)+ue+b):c+ue+(m===-2?a:b)}return[us(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},Rt=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,a=t.length-1,c=this.parts,[p,d]=ps(t,n);if(this.el=e.createElement(p,o),Ae.currentNode=this.el.content,n===2||n===3){let m=this.el.content.firstChild;m.replaceWith(...m.childNodes)}for(;(s=Ae.nextNode())!==null&&c.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let m of s.getAttributeNames())if(m.endsWith(qn)){let f=d[i++],b=s.getAttribute(m).split(ue),y=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:y[2],strings:b,ctor:y[1]==="."?qt:y[1]==="?"?Gt:y[1]==="@"?Vt:Me}),s.removeAttribute(m)}else m.startsWith(ue)&&(c.push({type:6,index:r}),s.removeAttribute(m));if(cs.test(s.tagName)){let m=s.textContent.split(ue),f=m.length-1;if(f>0){s.textContent=Ft?Ft.emptyScript:"";for(let b=0;b<f;b++)s.append(m[b],vt()),Ae.nextNode(),c.push({type:2,index:++r});s.append(m[f],vt())}}}else if(s.nodeType===8)if(s.data===Gn)c.push({type:2,index:r});else{let m=-1;for(;(m=s.data.indexOf(ue,m+1))!==-1;)c.push({type:7,index:r}),m+=ue.length-1}r++}}static createElement(t,n){let o=Pe.createElement("template");return o.innerHTML=t,o}};function Ee(e,t,n=e,o){if(t===St)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=Tt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=Ee(e,s._$AS(e,t.values),s,o)),t}var Bt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??Pe).importNode(n,!0);Ae.currentNode=s;let r=Ae.nextNode(),i=0,a=0,c=o[0];for(;c!==void 0;){if(i===c.index){let p;c.type===2?p=new qe(r,r.nextSibling,this,t):c.type===1?p=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(p=new jt(r,this,t)),this._$AV.push(p),c=o[++a]}i!==c?.index&&(r=Ae.nextNode(),i++)}return Ae.currentNode=Pe,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},qe=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=h,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=Ee(this,t,n),Tt(t)?t===h||t==null||t===""?(this._$AH!==h&&this._$AR(),this._$AH=h):t!==this._$AH&&t!==St&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):ls(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==h&&Tt(this._$AH)?this._$AA.nextSibling.data=t:this.T(Pe.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=Rt.createElement(us(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new Bt(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=as.get(t.strings);return n===void 0&&as.set(t.strings,n=new Rt(t)),n}k(t){Vn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(vt()),this.O(vt()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},Me=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=h,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=h}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=Ee(this,t,n,0),i=!Tt(t)||t!==this._$AH&&t!==St,i&&(this._$AH=t);else{let a=t,c,p;for(t=r[0],c=0;c<r.length-1;c++)p=Ee(this,a[o+c],n,c),p===St&&(p=this._$AH[c]),i||=!Tt(p)||p!==this._$AH[c],p===h?t=h:t!==h&&(t+=(p??"")+r[c+1]),this._$AH[c]=p}i&&!s&&this.j(t)}j(t){t===h?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},qt=class extends Me{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===h?void 0:t}},Gt=class extends Me{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==h)}},Vt=class extends Me{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=Ee(this,t,n,0)??h)===St)return;let o=this._$AH,s=t===h&&o!==h||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==h&&(o===h||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},jt=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){Ee(this,t)}},ds={M:qn,P:ue,A:Gn,C:1,L:ps,R:Bt,D:ls,V:Ee,I:qe,H:Me,N:Gt,U:Vt,B:qt,F:jt},Ta=Bn.litHtmlPolyfillSupport;Ta?.(Rt,qe),(Bn.litHtmlVersions??=[]).push("3.3.1");var hs=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new qe(t.insertBefore(vt(),r),r,void 0,n??{})}return s._$AI(e),s};var At={temperature:1,isScaled:!0,isMasked:!0},Ut=({temperature:e,isScaled:t,isMasked:n})=>e===1&&t&&n;function Un({scores:e,bias:t,allowed:n,factor:o},{temperature:s,isScaled:r,isMasked:i}){let a=e.map((y,w)=>(r?y:y/o)+t[w]),c=a.map((y,w)=>w).filter(y=>n[y]||!i);c.sort((y,w)=>a[w]-a[y]);let p=a[c[0]]??0,d=a.map(()=>0);for(let y of c)d[y]=Math.exp((a[y]-p)/s);let m=d.reduce((y,w)=>y+w,0),f=d.map(y=>y/m),b=f.reduce((y,w)=>y-(w?w*Math.log(w):0),0);return{keys:c,scores:a,exponentials:d,highest:p,total:m,weights:f,entropy:b}}var ms={result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,next:null,experiment:null,patching:null,snapshot:null},Xn=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},trial:{softmax:At,sampling:{isOpen:!1,temperature:1,topK:0,topP:1},otherText:null,patched:null},inspection:{...ms},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),l=Xn(),zn={output:{compared:null,attribution:null},inspection:ms,heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},Kt=[{output:{sentences:[],sourceText:"",html:""}},zn],fs=[],Kn=!1;function Jn(e){fs.push(e)}function _e(e){for(let[t,n]of Object.entries(e))Object.assign(l[t],n)}function g(...e){e.forEach(_e),!Kn&&(Kn=!0,requestAnimationFrame(()=>{Kn=!1;for(let t of fs)t()}))}var H="flow.",V="mean.",ye=["rollout","gradient","integrated-gradients"],Ge=e=>e.direction??e.name??"",T=()=>l.server.models.find(e=>Ge(e)===l.request.modelName),k=()=>l.output.sentences[l.view.sentenceIndex],R=()=>!l.server.storedPage&&T()?.direction!==void 0,Q=()=>R()||!l.server.storedPage&&T()?.arch==="decoder";function ee(){let e=T();return!l.server.storedPage&&l.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var j=()=>l.output.sourceText!==""&&l.output.sourceText!==l.request.text,D=()=>l.inspection.result!==null&&l.inspection.sentence!==(k()??null),I=()=>D()||j();function Oe(e=l.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!R())return t.slice(1);let n=l.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var Yn=e=>e!=="encoder"||l.inspection.result?.target===null;var E=e=>e.split(".").slice(0,2).join("."),Zn=()=>l.inspection.result?[...l.inspection.result.weights.keys()]:[],gs=(e,t)=>e[(t+e.length)%e.length];function Ve(e){let t=Zn(),n=gs(t,t.indexOf(l.view.head)+e);n&&g({view:{head:n}})}function je(e){let t=[...new Set(Zn().map(E))],n=gs(t,t.indexOf(E(l.view.head))+e),o=Zn().find(s=>E(s)===n);o&&g({view:{head:o}})}function Xt(){let e=l.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${V}${e}`,isOfModel:t}}function pe(){let e=Xt();if(e?.isOfModel)return e.head;let t=l.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,a)=>a.confidence-i.confidence);return r?.head??"mean"}var Sa={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function zt(e){let[t,n]=e.split(".");return`${l.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var Qn=e=>`${zt(E(e))}, head ${e.split(".")[2]} (${e})`;function Jt(e){let n=e.startsWith("decoder.")&&l.inspection.result?.target!=null?"what is written":"the text",o=Sa[l.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${Qn(e)}: reads ${n}${o?`, ${o}`:""}`}var Ue=5;function X(){let e=T();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Ke=()=>l.request.temperature?{method:"sample",temperature:l.request.temperature,seed:l.request.seed}:{beam_size:l.request.beamSize},Xe=e=>R()?{...X(),text:e.source,target_ids:e.ids}:{model:T().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},Yt=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var z=class extends Error{constructor(n,o){super(o);this.status=n}},Zt=0,Ra=410,bs="regard-key",Aa=255;async function ys(){try{return(await fetch("health")).ok}catch{return!1}}var ws=e=>sessionStorage.setItem(bs,e);function Pa(e){let t=sessionStorage.getItem(bs);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function eo(e,t,n){let o={method:t===void 0?"GET":"POST",headers:Pa(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new z(Zt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new z(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function L(e,t,n){return await(await eo(e,t,n)).json()}async function*$s(e,t){let o=(await eo("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new z(Zt,"The server went away while it was answering. Is it still running?")});if(i)return;let a=(s+r).split(`

`);s=a.pop()??"";for(let c of a){let[p,d]=c.split(`
`);yield{name:p.slice(7),data:JSON.parse(d.slice(6))}}}}async function ze(e,t,n){try{return await L(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof z)||o.status!==Ra)throw o;return e.id=(await L("inspect",e.request,n)).id,await L(`inspect/${e.id}/${t}`,void 0,n)}}async function Ea(e,t,n){let o=await eo(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,a]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((d,m)=>{let f=r.subarray(m*i*a,(m+1)*i*a);return[d,{rows:i,keys:a,values:f,scale:c,forbidden:Aa}]})}async function Je(e,t){let n=T()?.arch!=="rnn",o=await L("inspect",{...e,lens:n},t),s=Object.keys(o.tokens),r=await Promise.all(s.map(i=>Ea(o.id,i,t)));return{...o,request:e,weights:new Map(r.flat())}}var Ma=403,_a=2e3,Oa=4e3,Ce=new Map;async function P(e,t,n){Ce.get(e)?.abort();let o=new AbortController;Ce.set(e,o),e==="translate"&&La(),t&&g({status:{busy:{...l.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||Ca(s),!1}finally{Ce.get(e)===o&&xs(e)}}function Qt(e,t){g({status:{busy:{...l.status.busy,[e]:t}}})}function Ca(e){let t=e instanceof z?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===Ma}}),t===Zt&&Ts()}function La(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function Ha(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function xs(e){Ce.delete(e),e==="translate"&&Ye(()=>{Ce.has(e)||Ha()}),g({status:{busy:Object.fromEntries(Object.entries(l.status.busy).filter(([t])=>t!==e))}})}function Ye(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var to=0,ks=()=>Promise.resolve();function vs(e){ks=e}function Ts(){clearTimeout(to),to=window.setTimeout(()=>{ys().then(e=>{e?no():l.status.error&&Ts()})},_a)}async function no(){clearTimeout(to),g({status:{error:"",needsApiKey:!1}}),await ks()}function Ss(e){g({status:{notice:e}}),setTimeout(()=>{l.status.notice===e&&g({status:{notice:""}})},Oa)}var Pt=e=>Ce.has(e);function Le(e){Ce.get(e)?.abort(),xs(e)}var Na=50;async function Ze(e){let{disabled:t}=l.heads,n=e.every(o=>t.includes(o));await de(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function de(e){let{undoStack:t,disabled:n}=l.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-Na)}}),await te()}async function Rs(){let{undoStack:e}=l.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await te()}async function te(){let{sentence:e}=l.inspection;if(!l.heads.disabled.length)return Le("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!ee()||D()||await P("ablate","Running without heads",async t=>{let n=R()?Yt(e):{prompt:e.source,...e.decoding},o={...Xe(e),heads:l.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await L("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function Qe(){let{result:e,sentence:t}=l.inspection;if(!t?.isDone||!e||D())return;let n=[...e.weights.keys()],o=[...new Set(n.map(E))];await P("rank","Taking each head away",async s=>{let r={},i={};for(let[a,c]of o.entries()){let p=n.filter(m=>E(m)===c),d=await L("ablate",{...Xe(t),sweep:!0,heads:p},s);if(l.inspection.result!==e)return;r={...r,...d.worth},i={...i,...d.by_token},g({heads:{importance:r,importanceByToken:i}}),Qt("rank",`Taking each head away: ${a+1} of ${o.length} layers`)}g({heads:{sortBy:"worth"}})}),l.status.error&&l.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var nn=null,ne=()=>nn;function tt(){nn=null}var Ia=()=>({edits:l.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:l.inspection.snapshot,compared:l.output.compared,tracesSearch:l.search.trace!==null&&l.search.trace.source===k()?.source,ranksHeads:l.heads.importance!==null}),Wa=16,Da=1e3,Fa=5,Ba=1e9,en=e=>e==="true",et=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},tn=et(0,Ba),As=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),qa=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Ga=e=>ye.some(t=>e===`${H}${t}`),Va=e=>As(e)||qa(e)||Ga(e)?e:void 0,ja=e=>e.split(",").filter(As),W=(e,t,n)=>({group:e,field:t,parse:n}),ro={direction:W("request","modelName",String),text:W("request","text",String),beam:W("request","beamSize",et(1,Wa)),temperature:W("request","temperature",et(0,Fa,!1)),seed:W("request","seed",et(0,Number.MAX_SAFE_INTEGER)),length:W("request","maxTokens",et(1,Da)),at:W("view","sentenceIndex",tn),step:W("view","outputPosition",tn),source:W("view","inputPosition",tn),key:W("view","keyPosition",tn),head:W("view","head",Va),share:W("view","rowShare",et(.1,1,!1)),words:W("view","groupsWords",en),alone:W("view","hidesOtherRows",en),isExplained:W("view","showsComputation",en),isHtml:W("request","isHtml",en),sortBy:W("heads","sortBy",String),off:W("heads","disabled",ja)},Ua=["direction","text","beam","temperature","seed","length","at","off","isHtml"],io=(e,{group:t,field:n})=>e[t][n]??null,Ps=Xn(),oo=!1;function q(){oo=!0}function Ka(e){let t=!l.request.translatesWhileTyping&&!l.status.busy.translate&&!l.status.error;return e==="text"&&j()&&t?l.output.sourceText:io(l,ro[e])}var Xa=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function za(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=nn??Ia();return[["edits",e.length?JSON.stringify(e.map(Xa)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Ja=e=>e==="text"||e==="direction"||e==="head"&&l.view.head===pe();function Es(){let{storedPage:e}=l.server,t=new URLSearchParams;for(let[s,r]of Object.entries(ro)){let i=Ka(s);e&&Ua.includes(s)||i===null||i===io(Ps,r)||String(i)===""||t.set(s,String(i))}if(!e){for(let[r,i]of za())t.set(r,i);let s=[...l.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=s?`${s} · Regard`:"Regard"}let o=`#${l.output.isExample&&[...t.keys()].every(Ja)?"":t}`;o===(location.hash||"#")||location.protocol==="about:"||(oo?history.pushState(null,"",o):history.replaceState(null,"",o),oo=!1)}var so=e=>Number.isSafeInteger(e)&&e>=0,Ms=e=>Array.isArray(e)?e.filter(so):[];function _s(e){try{return JSON.parse(e??"null")}catch{return null}}function Ya(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!so(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:Ms(r)}}]:so(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Za(e){let t=_s(e);return Array.isArray(t)?t.flatMap(Ya):[]}function Qa(e){let t=_s(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:Ms(t[1])}:e?{text:e,ids:[]}:null}function ao(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(ro)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??io(Ps,s))}let n=Number(e.get("snapshot")??NaN);return nn={edits:Za(e.get("edits")),snapshot:n>=0?n:null,compared:Qa(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var on=()=>_e(ao());var lo=new Map,Os=()=>lo.clear();function J(e){let t=lo.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return lo.set(e,o),o}var ie=(e,t)=>`rgba(${J(e).join(", ")}, ${t.toFixed(3)})`,U=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var el=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,tl=new RegExp(String.raw`\s+|${el.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),nl=4e6,He=e=>[...e.matchAll(tl)].map(({0:t,index:n})=>({text:t,begin:n}));function sn(e,t){let n=d=>d.map(m=>m.text).filter(m=>m.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,a=0;for(;i<r&&o[i]===s[i];)i++;for(;a<r-i&&o.at(-1-a)===s.at(-1-a);)a++;let c=ol(o.slice(i,o.length-a),s.slice(i,s.length-a)),p=(d,m,f)=>{let b=new Set(c.map(w=>w[m]+i)),y=-1;return d.map(w=>w.text.trim()!==""&&++y>=i&&y<f-a&&!b.has(y))};return[p(e,0,o.length),p(t,1,s.length)]}function ol(e,t){let n=[],o=t.length+1;if(e.length*t.length>nl)return n;let s=new Uint32Array((e.length+1)*o),r=(i,a)=>s[i*o+a];for(let i=e.length-1;i>=0;i--)for(let a=t.length-1;a>=0;a--){let c=e[i]===t[a];s[i*o+a]=c?r(i+1,a+1)+1:Math.max(r(i+1,a),r(i,a+1))}for(let i=0,a=0;i<e.length&&a<t.length;)e[i]===t[a]?n.push([i++,a++]):r(i+1,a)>=r(i,a+1)?i++:a++;return n}function Cs(e,t){let n=[He(e),He(t)],o=sn(...n),s=r=>n[r].filter((i,a)=>o[r][a]).map(i=>i.text);return[s(0),s(1)]}var nt=e=>JSON.stringify([l.request.modelName,e.source,l.request.beamSize,e.prefix]);async function we(){let e=k();e?.isDone&&await P("search","Searching",async t=>{let n=nt(e),o={...X(),text:e.source,beam_size:l.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await L("translate",o,t),r=k();r&&nt(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function sl(e,{weights:t}){return e==="mean"||t.has(e)||ye.some(n=>e===`${H}${n}`)?!0:[...t.keys()].some(n=>e===`${V}${E(n)}`)}function Et(e,t,n=null){let{head:o,outputPosition:s}=l.view,r=l.heads.disabled.filter(i=>e.weights.has(i));_e({inspection:{result:e},trial:{otherText:null,patched:null}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:sl(o,e)?o:pe(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),l.view.head.startsWith(H)&&oe(l.view.head)}async function G(){let e=k();if(!e?.isDone||!e.text||!R()||(await P("inspect","Looking inside",async n=>{Et(await Je(Xe(e),n),e)}),D()))return;l.heads.disabled.length&&await te();let{trace:t}=l.search;t?.source===e.source&&t.requestKey!==nt(e)&&await we()}async function rn(e){let t=k();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await P("inspect","Loading a snapshot",async n=>{let o={...Xe(t),snapshot:e,...Yt(t)};Et(await Je(o,n),t,e)}))}async function oe(e){let t=l.inspection.result;if(!e.startsWith(H)||!t)return g({view:{head:e},inspection:{flow:null}});await P("flow","Following the layers",async n=>{let o=await ze(t,`flow/${e.slice(H.length)}`,n);l.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var Ls="";function Is(e){let{result:t,lookup:n}=l.inspection,{head:o,showsComputation:s}=l.view;if(!t?.weights.has(o)||!s||D())return;let r=uo(e),i=Ls===r&&(Pt("lookup")||l.status.error!=="");n?.cell===r||i||(Ls=r,P("lookup","",async a=>{let c=await ze(t,`lookup/${o}/${e.row}/${e.key}`,a);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var ot=()=>T()?.no_parts??"",Hs={writes:"",stream:"",next:""};function co(e,t,n,o){let{result:s}=l.inspection;if(!s||D())return;let r=Hs[e]===t&&(Pt(e)||l.status.error!=="");l.inspection[e]?.cell===t||r||(Hs[e]=t,P(e,"",async i=>{o(await ze(s,n,i))}))}function Ws(e){let{head:t}=l.view;if(!l.inspection.result?.weights.has(t)||ot())return;let n=$e(e.row,t);co("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function Ds(e){let t=$e(e);ot()||co("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}function Fs(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,s=`temperature=${t}&top_k=${n}&top_p=${o}`,r=$e(e,s);return co("next",r,`next/${e}?${s}`,i=>{g({inspection:{next:{result:i,cell:r}}})}),r}async function Bs(e,t){let{result:n}=l.inspection;!n||D()||await P("experiment","Trying",async o=>{let s=`experiment/${e}?seed=${t}`,r=await ze(n,s,o);g({inspection:{experiment:{result:r,inspection:n}}})})}async function qs(e){let{result:t}=l.inspection;!t||D()||await P("patching","Patching",async n=>{let o=await ze(t,`patch?other=${encodeURIComponent(e)}`,n);g({inspection:{patching:{result:o,other:e,inspection:t}},trial:{patched:rl(o)}})})}function rl({effects:e}){let[t,n]=Object.entries(e)[0],o=n.flatMap((r,i)=>r.map((a,c)=>({stack:t,layer:i,position:c,effect:a}))),[s]=o.sort((r,i)=>Number(i.effect.toFixed(2))-Number(r.effect.toFixed(2))||r.layer-i.layer);return s??null}var il=0,Ns=new WeakMap;function $e(e,t=""){let n=l.inspection.result,o=Ns.get(n)??++il;return Ns.set(n,o),`${o}/${t}/${e}`}var uo=({row:e,key:t})=>`${$e(e,l.view.head)}/${t}`;async function Gs(){await P("models","",async e=>{let{models:t}=await L("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>Ge(s)===l.request.modelName);g({server:{models:t},request:{modelName:o?l.request.modelName:Ge(n)},status:{error:"",needsApiKey:!1}})})}async function st(){await P("count","",async e=>{if(!l.request.text.trim()||!R())return g({tokenCounts:{total:null}});let t={...X(),text:l.request.text},n=await L("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var Vs=()=>l.inspection.sentence?.numGiven??0,an=e=>Math.max(0,(e?.numGiven??0)-1);function rt(e,t){return e<t?"given":t>0&&e===t?"begins-written":""}var ln=(e,t)=>e?` Of ${t} tokens, the first ${e} were given; the others were written by the model.`:"",po=e=>e?u`<span class="given-legend"
        ><span class="given">grey</span>: given <i class="boundary"></i> <span class="written">dark</span>: written by
        the model</span
      >`:h;var it=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1,numGiven:0});function ho(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var Y=e=>e.join("").replaceAll("▁"," ").trimStart(),cn=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),at=e=>/^<[^<>]+>$/.test(e);function Ne(e,t,n="inserted"){let o=He(e),[s]=sn(o,He(t)),r=i=>n==="deleted"?u`<del>${i}</del>`:u`<mark>${i}</mark>`;return u`${o.map((i,a)=>s[a]?r(i.text):i.text)}`}var js=e=>at(e)?`
`:e.replaceAll("▁"," ");function mo({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>js(i.token)),o=He(n.join("")),[s]=sn(o,He(t.tokens.map(i=>js(i.token)).join(""))),r=0;return n.map(i=>{let a=r;r+=i.length;let c=p=>p.begin<r&&p.begin+p.text.length>a;return o.some((p,d)=>s[d]&&c(p))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",al=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,xe=e=>al.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",ll=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,cl=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function Us(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>ll.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!cl.some(r=>r.test(n))&&o!=="ء"}function lt(e,t){let n=Us(e[t-1],e[t])?["joins-before"]:[],o=Us(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var ae=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function ke(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var ct=(e,t)=>Array.from({length:e.keys},(n,o)=>ke(e,t,o));function un(e,t){let n=e.map((i,a)=>a).sort((i,a)=>e[a]-e[i]),o=new Set,s=e.reduce((i,a)=>i+a,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var fo=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function Ks(e){let t=fo(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function Xs(e){let[t]=e,n=fo(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function zs(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function Js(e,t,n){let o=fo(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,a)=>{let c=s.every(m=>i.every(f=>ae(e,m,f))),p=m=>i.reduce((f,b)=>f+ke(e,m,b),0),d=s.reduce((m,f)=>m+p(f),0);o.values[r*n.length+a]=c?o.forbidden:d/s.length})}),o}var nr=new WeakMap,or=e=>nr.get(e);function sr(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),nr.set(t,e),t}var Ys=new WeakMap;function rr(e,t){let n=Ys.get(e)??new Map,o=[t,...J("paper"),...J("heat")].join(" "),s=n.get(o)??ul(e,t);return Ys.set(e,n.set(o,s)),s}function bo(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function ul(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let p=0;p<e.rows;p++)for(let d=0;d<e.keys;d++){if(ae(e,p,d))continue;let m=Math.floor(p*n/e.rows)*o+Math.floor(d*o/e.keys);s[m]=Math.max(s[m],ke(e,p,d))}let r=new ImageData(o,n),[i,a,c]=[J("paper"),J("heat"),J("forbidden")];return s.forEach((p,d)=>{p<0?bo(r,d,c,c,1):bo(r,d,i,a,p)}),sr(r)}var pl={path:"",stroke:"none",thickness:0},yo=new WeakMap,ir=e=>yo.get(e);function ar(e,t){yo.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[],hatching:pl}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function lr(e,t,n){ar(e,rr(t,n))}function cr(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((a,c)=>{let p=J(a<0?"less":"more");bo(o,i*n+c,J("paper"),p,Math.abs(a)/s)})}),ar(e,sr(o))}var dl=14,hl=120,Zs=10,Qs=44,ml=60,fl=800,gl=640,bl=1.2,go=6,pn="13px system-ui, sans-serif";function er(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function tr(e,t,n){let o=Math.max(Math.ceil(dl/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function yl(e,t,n){let{weights:o,rows:s,keys:r,numGiven:i,chosen:a,isMirrored:c}=t;e.font=pn;let p=Math.min(hl,n*.25),d=er(e,s,p),m=er(e,r,p),f=C=>Math.max(...C.map(re=>e.measureText(re).width)),b=f(d)+Zs,y=f(m)+Zs,w=n>fl?ml:Qs,S=Math.max(gl*w/Qs/s.length,2*go),O=Math.max(bl,Math.min(w,(n-b-2)/r.length,S)),x=O>=go?Math.floor(O):O,F=x*r.length,B=x*s.length,ce=C=>b+x*(c?r.length-1-C:C),Be={rows:tr(s.length,x,a.row),keys:tr(r.length,x,a.key)},es=(C,re)=>U(C?"accent":re?"faint":"ink"),ba=[...Be.rows.map(C=>({text:d[C],x:b-6,y:y+x*(C+.5),isVertical:!1,fill:es(C===a.row,C<i.rows)})),...Be.keys.map(C=>({text:m[C],x:ce(C)+.5*x,y:y-6,isVertical:!0,fill:es(C===a.key,C<i.keys)}))],ts={stroke:U("accent"),thickness:1.5},ya=[{x:b-.5,y:y-.5,width:F+1,height:B+1,stroke:U("line"),thickness:1},...wl(i,{left:b,top:y,size:x,width:F,height:B,isMirrored:c}),{x:b,y:y+x*a.row,width:F,height:x,...ts},{x:ce(a.key),y,width:x,height:B,...ts}],wa=rr(o,1/0),$a=(C,re)=>x>=go&&ae(o,C,re),xa=(C,re)=>{let[xt,Se,Dt]=[ce(re),y+x*C,x/2];return`M ${xt} ${Se+Dt} L ${xt+Dt} ${Se} M ${xt+Dt} ${Se+x} L ${xt+x} ${Se+Dt}`},ka={path:s.flatMap((C,re)=>r.map((xt,Se)=>$a(re,Se)?xa(re,Se):"")).join(""),stroke:U("hatching"),thickness:1};return{plan:{image:wa,left:b,top:y,width:F,height:B,isMirrored:c,labels:ba,frames:ya,hatching:ka},layout:{left:b,top:y,size:x,...Be}}}function wl({rows:e,keys:t},{left:n,top:o,size:s,width:r,height:i,isMirrored:a}){let c={stroke:U("faint"),thickness:1},p=s*t,[d,m]=[{x:n,y:o,width:r,height:s*e,...c},{x:a?n+r-p:n,y:o,width:p,height:i,...c}];return[...e?[d]:[],...t?[m]:[]]}function ur(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=yl(o,t,n),{image:i,left:a,top:c,width:p,height:d,isMirrored:m,labels:f,frames:b,hatching:y}=s;yo.set(e,s);let w=window.devicePixelRatio||1;e.width=Math.round((a+p+2)*w),e.height=Math.round((c+d+2)*w),e.style.width=`${a+p+2}px`,e.style.height=`${c+d+2}px`,o.scale(w,w),o.imageSmoothingEnabled=!1,o.save(),m&&o.transform(-1,0,0,1,2*a+p,0),o.drawImage(i,a,c,p,d),o.restore(),o.strokeStyle=y.stroke,o.lineWidth=y.thickness,o.stroke(new Path2D(y.path));for(let S of f)wo(o,S);for(let S of b)o.strokeStyle=S.stroke,o.lineWidth=S.thickness,o.strokeRect(S.x,S.y,S.width,S.height);return r}function wo(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=pn,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var Mt=12,$l="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",xl=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*kl(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:a}of e.data.matchAll(/\S+/gu)){o.setStart(e,a),o.setEnd(e,a+i.length);let{x:c,y:p,width:d,height:m}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;d&&(yield{kind:"text",x:c,y:p,width:d,height:m,text:i,fill:n,font:f,direction:t.direction})}}function*vl(e,{x:t,y:n,width:o,height:s},r){let i=ir(e);if(!i||!o)return;let{image:a,isMirrored:c}=i,p=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:a,isMirrored:c,opacity:r,...p},i.hatching.path&&(yield{kind:"line",...{...p,...i.hatching,fill:"none",opacity:r,dashes:""},origin:[t,n],scale:[1,1]});for(let d of i.frames)yield{kind:"frame",radius:0,...d,x:t+d.x,y:n+d.y};for(let d of i.labels)yield{kind:"label",...d,x:t+d.x,y:n+d.y,width:0,height:0}}function*Tl(e,t,n){let{x:o,y:s,width:r,height:i}=n,a=parseFloat(t.borderRadius)||0,c=(d,m=2)=>({kind:"frame",stroke:d,thickness:m,radius:a,...n}),p=(d,m,f=2)=>({kind:"line",...n,path:d,origin:[o,s],scale:[1,1],fill:"none",stroke:m,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield p(`M 0 0 L ${r} ${i}`,U("less"))),e.matches("del")&&(yield p(`M 0 ${i/2} L ${r} ${i/2}`,U("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(U("accent"))),e.matches(".token.prefix-end")&&(yield c(U("more"))),e.matches(".token.new, u.new")&&(yield p(`M 2 ${i-1} L ${r-2} ${i-1}`,U("more")))}function Sl(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:a,e:c,f:p}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,p],scale:[i,a],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*pr(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches($l)||i.visibility==="hidden")return;let a=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*vl(e,r,c);else if(e instanceof SVGPathElement)yield Sl(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!a&&o&&!xl(i.backgroundColor)){let p=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:p}}for(let p of e.childNodes)p instanceof Text?yield*kl(p,i,a?i.fill:i.color):p instanceof Element&&p.tagName!=="title"&&(yield*pr(p));a||(yield*Tl(e,i,r))}function dn(e){let{classList:t}=document.documentElement;t.add("saving");try{return Rl(e)}finally{t.remove("saving")}}function Rl(e){let t=[],n=Mt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,a=r.y-s.scrollTop,c=n;for(let p of pr(s)){let d=p.x-i+Mt,m=p.y-a+n;t.push(p.kind==="line"?{...p,x:d,y:m,origin:[p.origin[0]-i+Mt,p.origin[1]-a+n]}:{...p,x:d,y:m}),o=Math.max(o,d+p.width),c=Math.max(c,m+p.height)}n=c+Mt}return{shapes:t,width:Math.ceil(o+Mt),height:Math.ceil(n),paper:U("paper")}}var hn=2;function Al(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")wo(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function dr(e){let{shapes:t,width:n,height:o,paper:s}=dn(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=hn*n,r.height=hn*o,i.scale(hn,hn),i.fillStyle=s,i.fillRect(0,0,n,o);for(let a of t)Al(i,a);return r}var Pl=3e5,$o=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function le(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):$o(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function El({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=or(e),a=new Map,c=o.width/r,p=o.height/i,d=(f,b)=>{let y=f*r+(t?r-1-b:b);return[0,1,2].map(w=>s[4*y+w].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,y;b<r;b=y){let w=d(f,b);for(y=b+1;y<r&&d(f,y)===w;)y++;let S={x:o.x+b*c,y:o.y+f*p,width:(y-b)*c,height:p},O=a.get(w)??[];a.set(w,O),O.push(le("rect",S))}let m=[...a].map(([f,b])=>le("g",{fill:`#${f}`},b.join("")));return le("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},m.join(""))}function Ml({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let a=document.createElement("canvas");return a.width=e.width,a.height=e.height,a.getContext("2d").drawImage(e,0,0),le("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:a.toDataURL()})}function _l(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return le("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:a,radius:c}=e;return le("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(a)})}case"cells":return e.image.width*e.image.height>Pl?Ml(e):El(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${pn}`};return le("text",i,`⁨${$o(e.text)}⁩`)}case"line":return le("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return le("text",i,$o(e.text))}}}function hr(e){let{shapes:t,width:n,height:o,paper:s}=dn(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(_l)].join(`
`),a={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${le("svg",{xmlns:"http://www.w3.org/2000/svg",...a},`${i}
`)}
`}function mr(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Ie=(e,t,n="text/plain")=>mr(e,new Blob([t],{type:n}));function Ol(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function fr(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",fr);addEventListener("pointerdown",fr);function M(e,t,n,o){let s={PNG:()=>dr(t).toBlob(i=>{i&&mr(`${e}.png`,i)}),SVG:()=>Ie(`${e}.svg`,hr(t),"image/svg+xml"),CSV:()=>Ie(`${e}.csv`,Ol(n()),"text/csv"),JSON:()=>Ie(`${e}.json`,`${JSON.stringify(o(),null,2)}
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
  </details>`}var gr={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},_t=e=>(...t)=>({_$litDirective$:e,values:t}),ut=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var xo=class extends ut{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},A=_t(xo);var Cl={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],temperature:["Temperature","Scores are divided by it before softmax. Below 1, the highest score takes more of the weight; above 1, all become more alike. The factor 1 ÷ √d does the same: d products add up to numbers of about √d, and without the factor one key would take nearly all of the weight."],"beam-search":["Beam search","Several beginnings of a translation are kept. Each is continued by its likeliest tokens; of all these, the best sums of log-probabilities are kept."],"log-probability":["Log-probability","The natural logarithm of a probability, in nats. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],patching:["Patching","What would the model say if it had, at one place, the state that it has when it reads another text? Weights say where a head looks; this says what a state does."],difference:["Difference of log-probabilities","In nats. Above 0, the first token is more likely than the second; plus 0.69 nats, twice as likely."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},mn=8;function Ll(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(mn,Math.min(n.left,innerWidth-t.offsetWidth-mn)),r=n.bottom+t.offsetHeight+mn<innerHeight?n.bottom+4:Math.max(mn,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function v(e,t){let[n,o]=Cl[e];return u`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${Ll}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var Hl=24,Nl=.5,Il=.1;function Wl(){let{ablations:e=[]}=l.inspection.result;if(!e.length)return h;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>u`<tr>
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
  </section>`}function fn(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}function gn(e,t,n,o=0){let s=Math.max(n?Nl:Il,...t.map(Math.abs)),r=(i,a)=>{let c=$(e[a]??""),p=fn(i,2),m={width:`${Number(p)===0?0:50*Math.abs(i)/s}%`,[i<0?"right":"left"]:"50%"},f=a<o?", given":"";return u`<div
      class="change ${rt(a,o)}"
      role="listitem"
      aria-label="${c}${f} ${i.toFixed(2)} ${n}"
    >
      <bdi>${c}</bdi>
      <span class="track two"><span class=${i<0?"less":"more"} ${A(m)}></span></span>
      <span class="number">${p}</span>
    </div>`};return u`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(r)}
  </div>`}function Dl({token_changes:e,log_prob_change:t,text:n}){let o=l.heads.ablatedSentence,s=e.reduce((p,d)=>p+d,0),r=R()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",a=o.prefix!==""||o.edit?.kind==="translation",c=n===o.text;return u`<p>
      Written then${c?", the same as with all heads":""}:
      <bdi class="strong" id="written-then">${Ne(n,o.text)}</bdi>
    </p>
    ${a?u`<p class="hint" id="same-prefix">${i}</p>`:h}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${fn(s,3)}</span> ${v("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, where each token follows the same
      words as above:
    </p>
    ${gn(Oe(o),e,"nats",an(o))}
    <p class="hint"
      >The larger the change, the more the ${r} depends on what these heads look at. Weights alone do not tell. The
      other panels show the model with all its heads.</p
    >`}function Fl({predicted:e=[]}){let t=l.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:a})=>[i,a])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(a=>a.label).join(" ");return u`<p>
      Said then: <bdi class="strong" id="written-then">${Ne(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:a})=>o.get(i)-a);return u`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${gn(n,r,"")}`}function Bl(){let{disabled:e}=l.heads;if(!e.length)return u`<p class="hint">
      Switch a head off: this shows how the probability of each token changes, and what the model
      ${Q()?"writes":"says"} instead.
    </p>`;let t=n=>u`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void Ze([n])}
      >${n} ✕</button
    >`;return u`<p class="chips"
    >${e.length>Hl?`${e.length} heads are off.`:e.map(t)}</p
  >`}function ql(e){let{predicted:t,token_changes:n}=e,o=Oe(l.heads.ablatedSentence);return M("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function br(){let{result:e,sentence:t}=l.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=l.heads;if(!e||!t)return h;if(l.server.storedPage)return Wl();if(!ee())return h;let i=I()||n!==null&&o!==t,a=d=>u`${Q()?Dl(d):Fl(d)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        The model was never trained without them: this is what they are worth here, not what another model could do.
      </p>`,c=u`<button id="all-on" @click=${()=>void de([])}>Switch all on</button>`,p=u`<button id="undo" @click=${()=>void Rs()}>Undo</button>`;return u`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:h} ${r.length?p:h}
      ${n?ql(n):h}
    </div>
    ${Bl()} ${n?a(n):h}
  </section>`}var{I:qh}=ds;var yr=e=>e.strings===void 0;var Ot=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),Ot(o,t);return!0},bn=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},wr=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),jl(t)}};function Gl(e){this._$AN!==void 0?(bn(this),this._$AM=e,wr(this)):this._$AM=e}function Vl(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)Ot(o[r],!1),bn(o[r]);else o!=null&&(Ot(o,!1),bn(o));else Ot(this,e)}var jl=e=>{e.type==gr.CHILD&&(e._$AP??=Vl,e._$AQ??=Gl)},yn=class extends ut{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),wr(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(Ot(this,t),bn(this))}setValue(t){if(yr(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var ko=new WeakMap,pt=_t(class extends yn{render(e){return h}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),h}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=ko.get(t);n===void 0&&(n=new WeakMap,ko.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?ko.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Ul({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let a=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(a=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(a=s+/^\s*/u.exec(o.slice(s,a).join(""))[0].length);let p=o.slice(s,a).join("");return s=a,p})}var $r=/^▁?(<unk>|\[UNK\])$/;function Kl(e,t){let n=t.trim();return $r.test(e)&&n&&!$r.test(n)?`<unk: ${n}>`:e}function $n(e,t){let n=l.view.groupsWords?zs(e):e.spelled.map((r,i)=>[i]),o=Ul(e,t),s=e.spelled.map((r,i)=>Kl(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:xe(t),numGiven:n.filter(r=>r.at(-1)<Vs()).length}}function xr({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function kr(e,t,n,o,s){let r=l.view.groupsWords?Js(t,n.groups,o.groups):t,i=xr(n,s.row),a=ct(r,i),c=a.indexOf(Math.max(...a)),p=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:p?xr(o,s.key):c}}function Xl({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,a=$n(e,r??s),c=$n(t,s),{outputPosition:p,inputPosition:d}=l.view,m=r===null&&i.length>0,f=m?p-1:p,b=kr("flow",Ks(n),a,c,{row:f,key:d});return m&&(a.groups=a.groups.map(y=>y.map(w=>w+1)),a.numGiven=Math.max(0,a.numGiven-1)),b}function zl(){let{tokens:e,weights:t}=l.inspection.result,{head:n}=l.view,o=[...t.keys()],s=o.filter(a=>n===`${V}${E(a)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(a=>a.startsWith(`${i}.`))}var wn=null;function Jl(e){return wn?.heads.length===e.length&&e.every((n,o)=>n===wn.heads[o])||(wn={heads:e,mean:Xs(e)}),wn.mean}function ve(){let{result:e,flow:t}=l.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=l.view;if(!e)return null;if(n.startsWith(H))return t&&Xl(t);let{text:i,target:a,weights:c}=e,p=c.has(n)?[n]:zl(),d=p[0].split(".")[0],m=e.tokens[d],f=p.map(O=>c.get(O)),b=$n(m.rows,d==="encoder"?i:a??i),y=$n(m.keys,d==="decoder"?a??i:i),w=m.rows.spelled.length-1,S=Yn(d)?{row:Math.min(o,w),key:s}:{row:Math.min(s??0,w),key:r};return kr(d,f.length>1?Jl(f):f[0],b,y,S)}function K({kind:e,rows:t,keys:n},o,s){let r=({groups:c},p)=>c[Math.max(0,Math.min(p,c.length-1))][0],i=r(t,o),a=r(n,s);Yn(e)?g({view:{outputPosition:i,inputPosition:a}}):g({view:{inputPosition:i,keyPosition:a}})}var vr=12;function Z(e,t=1){let n=J("paper"),o=J(e);return u`<span class="ramp" aria-hidden="true"
    >${Array.from({length:vr},(s,r)=>{let i=n.map((a,c)=>Math.round(a+t*r/(vr-1)*(o[c]-a)));return u`<i ${A({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var Yl=1e3,To=.5,Zl=.7,Ql=.05,ec="20px system-ui, sans-serif",tc=16,nc=3,oc=3,he=30,Tr=14,vo=140,sc=640,rc=.7,ic=1.4,ac=.4,xn=null;function lc(e){let t=Math.min(l.view.rowShare,To);if(xn?.weights===e&&xn.share===t)return xn.edges;let n=Math.max(1,Math.floor(Yl/e.rows)),o=Array.from({length:e.rows},(s,r)=>Er(e,r,t).slice(0,n)).flat();return xn={weights:e,share:t,edges:o},o}function Er(e,t,n){let o=ct(e,t);return[...un(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var Sr=new OffscreenCanvas(1,1).getContext("2d");function vn(e){return Sr.font=ec,Sr.measureText(e).width}function kn(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),a=$(s),c=Math.max(24,vn(a));return r&&(n+=i?nc:t*tc),n+=c,{text:a,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function cc({rows:e,keys:t},n){let o=f=>Math.max(kn(e,f).width,kn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(oc,1+(n-Tr-s)/Math.max(r,1))),a={rows:kn(e,i),keys:kn(t,i)},c=Math.max(a.rows.width,a.keys.width)+Tr,p=(f,b)=>f.words.map(y=>({...y,x:y.x+(c-f.width)/2,y:b})),d=he,m=d+vo;return{width:c,height:m+he,keys:p(a.keys,he/2),rows:p(a.rows,m+he/2),path:(f,b)=>`M ${f.x} ${m} C ${f.x} ${m-vo/2}, ${b.x} ${d+vo/2}, ${b.x} ${d}`}}function uc(e,t){let n=[...e];if(vn(e)<=t)return e;for(;n.length>1&&vn(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function pc({rows:e,keys:t},n){let o=(p,d)=>p.labels.map(f=>uc($(f),ac*n)).map((f,b)=>{let y=Math.max(24,vn(f));return{text:f,width:y,x:d?n-4-y/2:4+y/2,y:he*(b+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(p=>p.width)),a=n-10-Math.max(...r.map(p=>p.width)),c=(i+a)/2;return{width:n,height:he*Math.max(s.length,r.length),keys:s,rows:r,path:(p,d)=>{let m=`C ${c} ${p.y}, ${c} ${d.y}, ${i} ${d.y}`;return`M ${n-8-p.width} ${p.y} L ${a} ${p.y} ${m} L ${8+d.width} ${d.y}`}}}var So=()=>Mr()<sc;function Mr(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function Rr(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function dc({text:e,x:t,y:n},o,s,r,i){return N`<text class="word ${rt(s,r)}" x=${t} y=${n} dy="0.35em"
    data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${i}
    @pointerenter=${a=>Rr(a,o,s)}
    @pointerleave=${a=>Rr(a,o,null)}>\u2068${e}\u2069</text>`}var Ar=e=>e?N`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-he/2+1}
        width=${e.width+8} height=${he-2} rx="4"></rect>`:h;function Pr(e,{numGiven:t,direction:n}){let[o,s]=[e[t-1],e[t]];if(!o||!s)return h;let r=he/2;if(o.y!==s.y){let c=Math.min(o.x-o.width/2,s.x-s.width/2),p=Math.max(o.x+o.width/2,s.x+s.width/2);return N`<path class="boundary" d="M ${c} ${(o.y+s.y)/2} H ${p}"></path>`}let i=n==="rtl"?-1:1,a=(o.x+i*o.width/2+s.x-i*s.width/2)/2;return N`<path class="boundary" d="M ${a} ${o.y-r} V ${o.y+r}"></path>`}function _r(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=Mr(),a=So(),c=a?pc(e,i):cc(e,i),p=a?1:Math.max(rc,Math.min(ic,i/c.width)),m=[...l.view.hidesOtherRows?[]:lc(t).filter(x=>x.row!==s),...Er(t,s,l.view.rowShare)],f=x=>{let F=x.row===s,B=Math.max(Ql,F?x.weight:Zl*x.weight);return N`<path class=${F?"edge here":"edge"} data-row=${x.row} data-key=${x.key}
      data-weight=${x.weight.toFixed(3)} opacity=${B} stroke-width=${1+4*x.weight}
      d=${c.path(c.rows[x.row],c.keys[x.key])}></path>`},b=(x,F,B)=>F.map((ce,Be)=>dc(ce,x,Be,e[`${x}s`].numGiven,()=>B(Be))),[y,w]=[n.labels.length,o.labels.length],S=ln(n.numGiven,y),O=`Curves from each of ${y} tokens to those of ${w} that it looks at.${S}`;return u`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(p*c.width)}
      height=${Math.round(p*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label=${O}
    >
      ${m.map(f)} ${Pr(c.keys,o)} ${Pr(c.rows,n)} ${Ar(c.keys[r])}
      ${Ar(c.rows[s])} ${b("key",c.keys,x=>K(e,s,x))}
      ${b("row",c.rows,x=>K(e,x,r))}
    </svg>
  </div>`}var _=e=>e.target.value,me=e=>e.target.checked,dt=e=>e.ctrlKey||e.metaKey||e.altKey,Tn=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);function hc(){let e=l.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var Ro=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:hc()}),Ao=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function ht(e){return e==="encoder"?"read":l.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function ge({kind:e,rows:t},n){let o=ht(e);return o==="read"?null:o==="translation"?Ro(t.labels,n):Ao(t.labels,n)}var fe=e=>u`<bdi class="strong">${$(e)}</bdi>`;function se({writes:e,read:t},n="about",o=h){let s=u`${e===null?"the next token":fe(e)}${o}`;return t===null?u`${n} to write ${s}`:u`${n} to write ${s}, has read up to ${fe(t)}`}var Or=4,mc=({weights:e},t)=>e.keys-e.rows+t;function Po(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>ae(e.weights,t,n))}function fc(e){let t=e.rows.labels.flatMap((n,o)=>{let s=mc(e,o),r=i=>i<s||e.kind==="encoder";return Po(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function Cr(e,t){let n=t.slice(0,Or+ +(t.length===Or+1)),o=n.map((r,i)=>u`${i?", ":h}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return u`${o}${s?` and ${s} more`:h}`}function gc(e){let t=Po(e,e.row),n=ge(e,e.row),o=n?u`${se(n,"About")}: it may`:u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?u`${o} look at ${Cr(e,s)}, and not at ${Cr(e,t)}.`:u`${o} look at all of them.`}var Lr={cross:"No cell is hatched: the text is there from the start, so every place may look at all of it. Heads that read what is written have hatched cells: a place may not look at tokens that are not written yet.",encoder:"No cell is hatched: the text is there from the start, so each token may look at those before and after it."};function Hr(e){let{kind:t}=e;if(t==="flow")return h;if(!e.rows.labels.some((d,m)=>Po(e,m).length))return Lr[t]?u`<p id="mask">${Lr[t]}</p>`:h;let o=ht(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, there are none. To show this, the whole ${o?"translation":"text"} is read at once, so a mask hides them.`:"",i=fc(e),a=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${a}; the rest is hidden.`,p=[r,c].filter(Boolean).join(" Also, ");return u`<p id="mask"> Hatched: ${p} ${gc(e)} </p>`}var Nr=5,bc=.85,yc=.6;function wc({weights:e,rows:t,keys:n,row:o,key:s}){let r=(a,c)=>{let p=Math.max(0,Math.min(a-2,c-Nr));return Array.from({length:Math.min(Nr,c)},(d,m)=>p+m)},i=(a,c)=>{let p=ae(e,a,c)?"forbidden":ke(e,a,c).toFixed(2),d=`${$(t.labels[a])} → ${$(n.labels[c])} ${p}`;return u`<td role="gridcell" aria-label=${d}></td>`};return u`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(a=>u`<tr> ${r(s,e.keys).map(c=>i(a,c))} </tr>`)}
    </tbody>
  </table>`}function Ir({pieces:e,labels:t,direction:n,numGiven:o},s){let{id:r,label:i,chosen:a,shareOf:c,choose:p}=s,d=(f,b)=>{let y=c(b),w=f!==""&&!/\p{Letter}/u.test(f),S=A({background:y?ie("heat",bc*y):"",color:y>yc?"var(--paper)":""}),O=y?"":rt(b,o),x=`part ${b===a?"here":""} ${O}`,[,F,B]=/^(\s*)([^]*)$/u.exec(f);if(lt(e,b))return u`${F}<span class=${x} @click=${()=>p(b)} ${S}>${B}</span>`;let ce=B||f||$(t[b]);return u`<bdi class=${f?"":"symbol"} dir=${w?n:"auto"} @click=${()=>p(b)}
      >${B?F:h}<span class=${x} ${S}>${ce}</span></bdi
    >`},m=e.map(d);return u`<p id=${r} class="tokens" dir=${n} role="group" aria-label=${i}>${m}</p>`}var Wr={translation:"the place where it is about to be written: all tokens before it have been read there",text:"the place where it has been read, and the next token is about to be written",read:"itself"};function $c(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${l.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${Wr[ht(e)]}. Columns: ${t}.`}function xc({kind:e}){if(e==="flow")return h;let[t,n]=So()?["Left","Right"]:["Above","Below"];return u`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${Wr[ht(e)]}.
  </p>`}function kc(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>K(t,n-1,o),ArrowDown:()=>K(t,n+1,o),ArrowLeft:()=>K(t,n,o-i),ArrowRight:()=>K(t,n,o+i),Home:()=>K(t,n,0),End:()=>K(t,n,s.keys-1),n:()=>Ve(1),p:()=>Ve(-1),PageDown:()=>je(1),PageUp:()=>je(-1)}[e.key];dt(e)||!c||(c(),e.preventDefault())}var We=null,Dr=()=>We;function vc(e,t){if(!We)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-We.left)/We.size),i=Math.floor((e.clientY-s.top-We.top)/We.size),a=o.direction==="rtl"?n.keys-1-r:r;i>=0&&a>=0&&i<n.rows&&a<n.keys&&K(t,i,a)}function Tc(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",a={weights:t,rows:n.labels,keys:o.labels,numGiven:{rows:n.numGiven,keys:o.numGiven},chosen:{row:s,key:r},isMirrored:i},c=w=>{queueMicrotask(()=>{let S=w?.parentElement;S&&(We=ur(w,a,S.clientWidth))})},p=`${t.rows} rows, ${t.keys} columns`,d=u`<span><i class="stroke"></i> the others</span>`,m=t.values.includes(t.forbidden),f=u`<span><i class="forbidden"></i> forbidden by a mask</span>`,b=ln(n.numGiven,n.labels.length),y=`Weights of ${l.view.head}: ${p}. Arrow keys choose a cell.${b}`;return u`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label=${y}
        ${pt(c)}
        @pointerdown=${w=>vc(w,e)}
        @keydown=${w=>kc(w,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${v("weight","weight")} 0 ${Z("heat")} 1</span>
      ${m?f:h}
      <span><i class="stroke here"></i> the chosen token</span> ${l.view.hidesOtherRows?h:d}
      ${po(n.numGiven)}
    </p>`}function Sc(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:a}=e,c=n.values instanceof Uint16Array?3:2,p=S=>ke(n,r,S).toFixed(c),d=u`<bdi class="strong">${$(o.labels[r])}</bdi>`,m=u`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=u`<span class="strong number">${p(i)}</span>`,b=!ae(n,r,i);if(t==="flow"&&b)return u`<p id="cell" role="status">${m} has a share of ${f} in ${d}.</p>`;let y=u`Most, ${p(a)}, goes to <bdi>${$(s.labels[a])}</bdi>.`,w=ge(e,r);return u`<p id="cell" role="status">
    ${w?u`${se(w,"About")}:`:d}
    ${b?u`looks with ${f} at`:"may not look at"} ${m}. ${i===a?h:y}
  </p>`}function Fr(){let e=(r,i)=>u`<option value=${r} ?selected=${r===l.view.head}>${i}</option>`,t=[...l.inspection.result.weights.keys()],n=[...new Set(t.map(E))],o=r=>u`<optgroup label="${zt(r)} (${r})">
      ${t.filter(i=>E(i)===r).map(i=>e(i,Qn(i)))}
      ${e(`${V}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>u`<optgroup label="Through all layers">
      ${ye.map(r=>e(`${H}${r}`,r))}
    </optgroup>`;return u`${v("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void oe(_(r))}>
      ${n.map(o)} ${e("mean","mean")} ${l.server.storedPage?h:s()}
    </select>
    ${Rc()}`}function Rc(){let e=Xt();if(!e)return h;let{head:t,isOfModel:n}=e;return u`<button id="aligns" aria-pressed=${l.view.head===t} @click=${()=>void oe(t)}
    >${n?"Show the alignment head":"Show the alignment layer of this sentence"}</button
  >`}function Ac(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=l.view,o=`${Math.round(100*e)} %`;return u`${v("share","Share of a row")}
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
        @input=${s=>g({view:{rowShare:Number(_(s))}})}
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
    >`}function Pc({weights:e,rows:t,keys:n}){let o=(a,c)=>ae(e,a,c)?null:ke(e,a,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((a,c)=>n.labels.flatMap((p,d)=>{let m=o(c,d);return m===null?[]:[[c,d,a,p,m]]}))],r=(a,c)=>{let p=o(a,c);return p===null?null:Number(p)};return M("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:l.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((a,c)=>n.labels.map((p,d)=>r(c,d)))}))}var Ec="<s> is the symbol that begins a text, </s> the one that ends it.";function Mc({kind:e,keys:t}){return u`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":h} ${e==="flow"?h:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${Ec}
  </p>`}function Eo(e){return(R()||l.server.storedPage)&&e!=="encoder"&&e!=="decoder"?"Alignment":"Attention"}function _c(){let e=Q()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return u`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${Eo()}</h2></div>
    ${l.inspection.result?Fr():h}
    <p class="hint">${k()?"…":e}</p>
  </section>`}function Oc(){let{head:e}=l.view,{result:t}=l.inspection;return t?.weights.has(e)?Jt(e):e.startsWith(H)?`Through all layers: ${e.slice(H.length).replace("-"," ")}`:e.startsWith(V)?`Mean of ${zt(e.slice(V.length))}`:"Mean of the last kind of heads"}function Br(){let e=ve();return!e||!l.inspection.result?_c():u`<section class="panel alignment ${qr(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title"
        >${Xt()?v("alignment",Eo(e.kind)):Eo(e.kind)}</h2
      >
      <span id="shown-head" class="strong">${Oc()}</span>
      ${Pc(e)}
    </div>
    <div class="together chooser" data-unsaved>${Fr()}</div>
    ${_r(e)} ${e.rows.numGiven?u`<p class="legend">${po(e.rows.numGiven)}</p>`:h}
    ${xc(e)} ${Sc(e)} ${Lc(e)}
  </section>`}var Cc="They are no dictionary: they show where one head looks, and it may look at another word than the one that is translated.";function Lc({kind:e}){return u`<p class="hint">
    Lines lead to the largest weights: of the chosen token, to those that are ${Math.round(100*l.view.rowShare)} %
    of its row; of each other token, to those that are
    ${Math.round(100*Math.min(l.view.rowShare,To))} %. ${e==="cross"?Cc:h}
  </p>`}function qr({kind:e}){let{result:t,flow:n}=l.inspection;return I()||e==="flow"&&n?.inspection!==t}function Gr(){let e=ve();if(!e||!l.inspection.result)return h;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=ct(r,o),a=un(i,l.view.rowShare),c=Ir(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:d=>K(e,d,s)}),p=Ir(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:d=>a.has(d)?i[d]:0,choose:d=>K(e,o,d)});return u`<section class="panel matrix ${qr(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${Ac()}
    </div>
    <p class="hint" id="axes">${$c(e.kind)}</p>
    ${Hr(e)} ${Tc(e)} ${wc(e)}
    <div class="sides">${c} ${p}</div>
    ${Mc(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var Hc=6,Vr=1,Mo=e=>g({trial:{softmax:{...l.trial.softmax,...e}}});function jr(e,t,n){return u`<label><input id=${e} type="checkbox" .checked=${t} @change=${s=>Mo(e==="scaled"?{isScaled:me(s)}:{isMasked:me(s)})} /> ${n}</label>`}function Ur({factor:e,query:t,allowed:n}){let{softmax:o}=l.trial,{temperature:s,isScaled:r,isMasked:i}=o,a=p=>Mo({temperature:10**Number(_(p))}),c=u`<button id="own-softmax" @click=${()=>Mo(At)}>As the model has it</button>`;return u`<div class="controls together" data-unsaved>
      <label
        >${v("temperature","temperature")}
        <input
          id="softmax-temperature"
          type="range"
          min=${-Vr}
          max=${Vr}
          step="0.05"
          .value=${String(Math.log10(s))}
          aria-label="Temperature of this row"
          aria-valuetext=${s.toFixed(2)}
          @input=${a}
        />
        <span class="number">${s.toFixed(2)}</span></label
      >
      ${e===1?h:jr("scaled",r,`1 ÷ √${t.length}`)}
      ${n.every(Boolean)?h:jr("masked",i,"mask")} ${Ut(o)?h:c}
    </div>
    <p class="hint" data-unsaved> The model does not change: only this table is computed again, from the scores. </p>`}function Nc(e,t){let n=Un(t,At).entropy.toFixed(2),o=u`, in place of <span class="number">${n}</span>`;return u`<p class="hint" id="row-spread">
    The weights are spread by
    <span class="strong number">${e.entropy.toFixed(2)}</span> nats
    (entropy)${Ut(l.trial.softmax)?h:o}. ${e.total.toFixed(2)} is the sum of the column
    before it, over all keys.
  </p>`}function Kr(e,t){let{softmax:n}=l.trial,o=Un(t,n),{keys:s,scores:r,exponentials:i,highest:a,total:c,weights:p}=o,d=s.slice(0,Hc),m=d.includes(e.key)||!s.includes(e.key)?d:[...d,e.key],f=Ut(n),b=u` <span class="hint">(hidden)</span>`,y=x=>u`<tr class=${x===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[x])}</bdi>${t.allowed[x]?h:b}</td>
      <td class="number">${r[x].toFixed(2)}</td>
      <td class="number">${i[x].toFixed(3)}</td>
      <td class="number">${p[x].toFixed(3)}</td>
      ${f?h:u`<td class="number">${t.weights[x].toFixed(3)}</td>`}
      <td class="fill">
        <span class="track"><span ${A({width:`${100*p[x]}%`})}></span></span>
      </td>
    </tr>`,w=s.length-m.length,S=n.temperature===1?"":` ÷ ${n.temperature.toFixed(2)}`,O=`score − ${a.toFixed(2)}`;return u`<table id="softmax" class=${f?"":"compared"}>
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(${S?`(${O})${S}`:O})</th>
          <th>÷ ${c.toFixed(2)} = weight</th>
          ${f?h:u`<th>the model's</th>`}
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${m.map(y)} </tbody>
    </table>
    ${w>0?u`<p class="hint">and ${w} more keys.</p>`:h} ${Nc(o,t)}`}var Xr=320,zr=18;function De(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=Xr/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,a=(c,p)=>N`<rect x=${p*r} width=${r} height=${zr} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return u`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Xr} ${zr}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(a)}
    </svg>
  </div>`}var Ic=.01,Wc=.12;function Dc({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>u`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${A({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return u`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function Fc({likelier:e,said:t}){if(!e.length&&!t)return h;let n=()=>u`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>u`Read by the output layer, it makes these more likely than any others:
    ${e.map(([s,r])=>u`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)}
    (${v("logit","logits")}).`;return u`<p>${e.length?o():h} ${t?n():h}</p>`}function Bc({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,p)=>p===0||n.weights[c]>=Ic),r=n.weights.filter(c=>c>0).length-s.length,i=Math.max(0,1-s.reduce((c,p)=>c+n.weights[p],0)),a=s.map((c,p)=>{let d=n.weights[c],m=u`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${d.toFixed(2)}</span>`,f=Math.max(Wc,d);return De(`value ${p}`,m,n.values[p],{max:o,opacity:f})});return u`<p>
      Each of these tokens has a ${v("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${a}
    ${r?u`<p class="hint">and ${r} more keys, together × ${i.toFixed(2)}.</p>`:h}
    ${De("sum",u`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${Dc(n)}</div>
    ${Fc(n)}`}function Jr(e){Ws(e);let{writes:t}=l.inspection,n=ot(),o=t!==null&&t.cell!==$e(e.row,l.view.head);return u`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?u`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?Bc({keys:t.result.keys,labels:t.view.keys.labels},t.result):u`<p class="hint">…</p>`}
  </div>`}var _o="The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values.";function qc({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:a}=t;if(!a[e])return u`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),p=f=>u`<span class="number">${f.toFixed(3)}</span>`,d=u`, times ${p(s)} (1 ÷ √${n.length})`,m=u`, plus ${p(i[e])} for the positions`;return u`<p id="score">
    The sum, ${p(c)}${s===1?h:d}${i[e]?m:h}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function Gc(e,t){let n=u`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=u`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=ge(e,e.row),r=s?u`the place that is ${se(s)}`:u`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",a=s?.writes?u`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return u`<p class="hint">${_o}</p>
    <p class="hint" id="place">The query belongs to ${r}.</p>
    ${De("query",a,t.query)} ${De("key",u`key of ${o}`,t.key)}
    ${De("terms",i,t.terms)} ${qc(e,t)} ${Ur(t)}
    ${Kr(e,t)} ${Jr(e)}
    <p class="legend"><span>below 0 ${Z("less")}</span> <span>above 0 ${Z("more")}</span></p>`}function Vc(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return M("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((p,d)=>[p,n[d],o[d],Number(s[d]),r[d]])],()=>({head:l.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:l.inspection.writes?.result??null}))}function Yr(){let e=ve(),t=l.inspection.result;if(!t||!e||l.server.storedPage)return h;let{showsComputation:n,groupsWords:o,head:s}=l.view,r=t.weights.has(s);n&&!o&&Is(e);let i=n&&r&&!o?l.inspection.lookup:null,a=I()||i!==null&&i.cell!==uo(e),p=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?Gc(i.view,i.result):"…":u`<p class="hint">${_o}</p>
        <p class="hint">What is shown is not one head. Choose a head in the grid.</p>`:`${_o} This shows the numbers.`;return u`<section class="panel computed ${a?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${v("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?Vc(i.view,i.result):h}
    </div>
    ${typeof p=="string"?u`<p class="hint">${p}</p>`:p}
  </section>`}var jc=()=>T()?.arch==="rnn",Uc=()=>[...l.inspection.result?.weights.keys()??[]].some(e=>e.startsWith("decoder.")),Oo={shuffle:{button:"Shuffle the words",says:"The model reads the words of the text in another order.",reason:()=>l.inspection.result?.target===null?"reads no other text than its own":void 0},"no-positions":{button:"Take positions away",says:"Nothing tells the model any more where a token stands: neither positions that are added to embeddings, nor those in the scores. Attention alone sees a set of tokens; the mask is left.",reason:()=>jc()?"reads token by token: it has no positions to take away":void 0},future:{button:"Let it see the future",says:"No mask: a place may look at the tokens after it, and at the one that it is about to write. The model was trained with the mask, so it has not learnt what to do with them.",reason:()=>Uc()?void 0:"reads token by token: it has no mask to take away"}},Zr=0;function Kc(){let e=t=>{let{button:n,reason:o}=Oo[t],s=o(),r=l.inspection.experiment?.result.change===t,i=()=>{t==="shuffle"&&(Zr+=1),Bs(t,Zr)};return u`<button
      data-change=${t}
      aria-pressed=${r}
      ?disabled=${s!==void 0}
      title=${s?`This model ${s}.`:h}
      @click=${i}
      >${n}</button
    >`};return u`<p class="together" data-unsaved>${Object.keys(Oo).map(e)}</p>`}var Qr=e=>e.reduce((t,n)=>t+n,0);function Xc({change:e,source:t,tokens:n,before:o,after:s}){let r=s.map((d,m)=>d-o[m]),[i,a]=[Qr(o),Qr(s)],c=(d,m)=>u`<span class="strong number" id=${m}>${d.toFixed(2)}</span>`,p=u`<p>It reads: <bdi class="strong" id="shuffled">${t}</bdi></p>`;return u`<p>${Oo[e]?.says}</p>
    ${e==="shuffle"?p:h}
    <p>
      The same ${T()?.direction?"translation":"text"} then has a log-probability of
      ${c(a,"sum-after")} in place of ${c(i,"sum-before")} (<span class="number"
        >${fn(a-i,2)}</span
      >
      ${v("log-probability","nats")}). Of each token:
    </p>
    ${gn(n,r,"nats",an(l.inspection.sentence))}
    <p class="legend">
      <span><i class="less"></i> less likely then</span>
      <span><i class="more"></i> more likely</span>
    </p>`}function zc(e){let{tokens:t,before:n,after:o}=e;return M("experiment",[".experiments .changes"],()=>[["token","before","after"],...t.map((r,i)=>[r,n[i],o[i]])],()=>e)}function ei(){let{result:e,experiment:t,snapshot:n}=l.inspection;if(!Q()||!e||n!==null)return h;let o=t?.inspection===e?t.result:null,s=u`<p class="hint">
    What does the model need to know? Take something away, and see how much less likely each token becomes.
  </p>`;return u`<section class="panel experiments ${I()?"stale":""}" aria-labelledby="experiments-title">
    <div class="head">
      <h2 id="experiments-title">Experiments</h2>
      ${o?zc(o):h}
    </div>
    ${Kc()} ${o?Xc(o):s}
  </section>`}var Jc=.85,Yc=.6,ti={encoder:"Encoder: the text",decoder:"Decoder: what is written"},Co=e=>e.toFixed(2).replace(/^-0\.00$/,"0.00");function Zc(e,{tokens:t,effects:n}){let o=n[e],{patched:s}=l.trial,r=(a,c,p)=>{let d=s?.stack===e&&s.layer===c&&s.position===p,m=Math.min(1,Math.max(0,a)),f=A({background:ie("heat",Jc*m),color:m>Yc?"var(--paper)":""}),b=`${$(t[e][p])} after layer ${c}: effect ${Co(a)}`;return u`<td>
      <button
        class="patch number"
        aria-pressed=${d}
        aria-label=${b}
        ${f}
        @click=${()=>g({trial:{patched:{stack:e,layer:c,position:p}}})}
        >${Co(a)}</button
      >
    </td>`},i=(a,c)=>u`<tr>
      <th scope="row">layer ${c}</th>
      ${a.map((p,d)=>r(p,c,d))}
    </tr>`;return u`<div class="scroll" tabindex="0" role="group" aria-label=${ti[e]??e}>
    <table class="patches" data-stack=${e}>
      <thead>
        <tr>
          <th scope="col">${ti[e]??e}</th>
          ${t[e].map(a=>u`<th scope="col"><bdi>${$(a)}</bdi></th>`)}
        </tr>
      </thead>
      <tbody> ${o.map(i).reverse()} </tbody>
    </table>
  </div>`}function Qc({answers:e,difference:t,other_difference:n,tokens:o,effects:s}){let{patched:r}=l.trial,a=(r&&s[r.stack])?.[r.layer]?.[r.position];if(a===void 0)return h;let{stack:c,layer:p,position:d}=r,m=t+a*(n-t);return u`<p id="patch-effect" role="status">
    The state of the other text in the place of ${fe(o[c][d])}, after layer ${p} of the
    ${c}: <span class="strong number">${Co(a)}</span> of the way from ${fe(e[0])} to
    ${fe(e[1])}. The difference of their log-probabilities is then
    <span class="number" id="patch-difference">${m.toFixed(2)}</span> ${v("difference","nats")}.
  </p>`}function eu(e){let{answers:t,difference:n,other_difference:o,effects:s}=e;return u`<p id="patch-answers">
      After this text the model says ${fe(t[0])}, after the other one ${fe(t[1])}: log
      p(<bdi>${$(t[0])}</bdi>) − log p(<bdi>${$(t[1])}</bdi>) is
      <span class="number">${n.toFixed(2)}</span> and
      <span class="number">${o.toFixed(2)}</span>. Each number below: how much of the way one state of the
      other text goes, put into the run on this one. 0: nothing changes; 1: that state alone makes the model say
      ${fe(t[1])}.
    </p>
    ${Object.keys(s).map(r=>Zc(r,e))} ${Qc(e)}`}function tu(e,t){return M("patching",[".patches","#patch-effect"],()=>[["stack","layer","position","token","effect"],...Object.entries(e.effects).flatMap(([o,s])=>s.flatMap((r,i)=>r.map((a,c)=>[o,i,c,e.tokens[o][c],a])))],()=>({other:t,...e}))}function ni(){let{result:e,patching:t,snapshot:n}=l.inspection;if(!e||n!==null||l.server.storedPage||e.arch==="rnn")return h;let o=t?.inspection===e?t:null,s=l.trial.otherText??e.text,r=a=>{a.preventDefault(),qs(s)},i=u`<p class="hint">
    Which states make the difference? Change one word of the text, so that what the model says changes, too. States of
    the other text are then put into the run on this one, one at a time. Both texts need the same number of tokens.
  </p>`;return u`<section class="panel patching ${I()?"stale":""}" aria-labelledby="patching-title">
    <div class="head">
      <h2 id="patching-title">${v("patching","Patching")}</h2>
      ${o?tu(o.result,o.other):h}
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
          @input=${a=>g({trial:{otherText:_(a)}})}
        />
      </label>
      <button id="patch" ?disabled=${s===e.text||!T()}>Exchange states</button>
    </form>
    ${o?eu(o.result):i}
  </section>`}var nu=5,ou=480,oi=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function si(e){let{importance:t,importanceByToken:n}=l.heads,{sentence:o}=l.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return h;let i=R()?0:1,a=Math.max(0,Math.min(l.view.outputPosition-i,r-1)),c=e.findIndex((b,y)=>b===l.view.head&&s[y].length),p=$(Oe()[a]??""),d=c<0?"":`${e[c]} is worth ${s[c][a].toFixed(3)} nats for ${p}.`,m=b=>{b&&cr(b,s,r)},f=b=>{let y=b.target.getBoundingClientRect(),w=e[oi(b.clientY-y.top,y.height,e.length)],S=oi(b.clientX-y.left,y.width,r)+i;g({view:{head:w,outputPosition:Math.min(S,o.tokens.length-1)}})};return u`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${d}"
      ${pt(m)}
      ${A({height:`${Math.min(nu*e.length,ou)}px`})}
      @pointerdown=${f}
    ></canvas>
    <p id="sweep-cell" role="status">${d||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${Z("less")}</span>
      <span>less likely ${Z("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${R()?", the end included":" after the first"}.
    </p>
  </details>`}var su=44,ru=.4,Lo={place:()=>0,worth:({head:e})=>-(l.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},ii=()=>l.heads.sortBy!=="place"&&Object.hasOwn(Lo,l.heads.sortBy);function ai(){let{heads:e}=l.inspection.result;if(ii()){let n=Lo[l.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>E(n.head)))].map(n=>({layer:n,heads:e.filter(o=>E(o.head)===n)}))}var li=()=>l.inspection.result.heads.map(e=>e.head),ci=e=>li().filter(t=>E(t)===E(e));function ui(e){let t=li().filter(s=>s!==e),{disabled:n}=l.heads,o=n.length===t.length&&!n.includes(e);de(o?[]:t)}function iu(e,t){let n=ai().map(({heads:p})=>p.map(d=>d.head)),o=n.findIndex(p=>p.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),a=(p,d)=>p[Math.max(0,Math.min(d,p.length-1))];return{ArrowLeft:a(r,i-1),ArrowRight:a(r,i+1),ArrowUp:a(a(n,o-1),s),ArrowDown:a(a(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var ri={n:()=>Ve(1),p:()=>Ve(-1),PageDown:()=>je(1),PageUp:()=>je(-1)};function au(e,t){if(dt(e))return;let n=iu(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(ri,e.key))ri[e.key]();else if(e.key===" "&&ee())Ze(e.shiftKey?ci(t):[t]);else if(e.key==="s"&&ee())ui(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${l.view.head}"]`)?.focus())}function lu(e){let t=Math.max(...Object.values(l.heads.importance??{}),1e-9),n=ie("more",ru*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return u`<span class="tag number" aria-hidden="true" ${A({background:n})}>${o}</span>`}function cu({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function uu(e,t){let{head:n}=e,o=l.inspection.result.weights.get(n),s=l.heads.disabled.includes(n),r=l.heads.importance?.[n],i=cu(e),a=p=>{p&&lr(p,o,su)},c=n.replace(/^(\w)\w+/,"$1");return u`<button
    class="cell ${s?"off":""}"
    aria-pressed=${l.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${p=>au(p,n)}
    ><canvas ${pt(a)}></canvas>
    ${ii()?u`<span class="tag" aria-hidden="true">${c}</span>`:h}
    ${r===void 0?h:lu(r)}</button
  >`}function pu(e){let t=l.heads.disabled.includes(e),n=ci(e).filter(o=>o!==e);return u`<button id="toggle" data-unsaved @click=${()=>void Ze([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>ui(e)}>Solo</button>
    <button data-unsaved @click=${()=>void de(n)}>Solo in its layer</button>`}function du({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e],i=u`, ${v("offset","offset")} ${s?.toFixed(1)}`;return u`<div class="chosen">
    <p class="strong" id="head-words">${Jt(e)}</p>
    ${ee()?u`<p class="together">${pu(e)}</p>`:h}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${v("label",t)}; ${v("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${v("highest","highest weight")}
      ${o.toFixed(2)}${s===null?h:i}, mean over
      rows.${r===void 0?h:u` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var hu={entropy:"spread (entropy)",sharpness:"highest weight"};function mu(){let{sortBy:e,importance:t}=l.heads,n=Object.keys(Lo).filter(s=>s!=="worth"||t),o=s=>u`<option value=${s} ?selected=${s===e}>${hu[s]??s}</option>`;return u`<label
    >Order
    <select id="order" @change=${s=>g({heads:{sortBy:_(s)}})}>
      ${n.map(o)}
    </select></label
  >`}function fu(e,t){if(!e)return h;let n=`Layer ${e.split(".")[1]}`;return ee()?u`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void Ze(t)}
    >${n}</button
  >`:u`<span class="site">${n}</span>`}function gu(e){return l.inspection.result?.target!=null?e==="encoder"?"Encoder: the text reads itself":e==="cross"?"Cross: the translation reads the text":"Decoder: the translation reads what is written (grey area: not written yet)":"The text reads itself"}function bu(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function yu(e,t){let[n]=e[0].layer.split(".");return u`<div class="group">
    ${n?u`<p class="kind hint">${gu(n)}</p>`:h} ${e.map(o=>wu(o,t))}
  </div>`}function wu({layer:e,heads:t},n){let o=t.map(s=>s.head);return u`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${fu(e,o)}
    <div class="cells ${e?"":"sorted"}" ${A({"--count":String(t.length)})}>
      ${t.map(s=>uu(s,s.head===n))}
    </div>
  </div>`}function $u(){let{heads:e}=l.inspection.result,{importance:t,importanceByToken:n,disabled:o}=l.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return M("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?Oe():[]],...e.map(({head:c,label:p,entropy:d,confidence:m,offset:f})=>{let b=t?n[c]??[]:[];return[c,p,d,m,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function pi(){let e=l.inspection.result;if(!e)return u`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=l.heads,n=e.heads.find(c=>c.head===l.view.head),o=ai(),s=n?.head??o[0]?.heads[0]?.head,r=u`<button id="rank" @click=${()=>void Qe()}>Rank all heads</button>
    <span class="hint">by ${v("worth","worth")}</span>`,i=()=>Ie("heads-off.txt",`${t.join(`
`)}
`);return u`<section
    class="panel heads ${I()?"stale":""}"
    aria-labelledby="heads-title"
    ${A({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${mu()} ${Q()&&ee()?r:h}
      ${t.length?u`<button @click=${i}>List of heads that are off</button>`:h}
      ${$u()}
    </div>
    ${n?du(n):h}
    <div id="heads">${bu(o).map(c=>yu(c,s))}</div>
    ${si(o.flatMap(({heads:c})=>c.map(p=>p.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${ee()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":h}
    </p>
  </section>`}var Ho=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function Sn(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:Ho(),block:"start"})})}var di=150,Lt=40,No=84,Ct=di-No/2,xu=e=>/\.\d+\.\d+$/.test(e);function ku(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&l.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function vu({parts:e}){return Object.keys(e).filter(xu).sort((n,o)=>e[o]-e[n])[0]}function Tu({name:e,length:t,total:n},o,s){let r=y=>Math.min(No,Math.max(1,No*y/s)),[i,a]=[r(o),r(n)],c=Math.min(Lt,r(t)),p=e==="embeddings",d=p?a:i,m=Lt/2,f=Ct-i/2,b=`M 0 ${m} C 30 ${m}, ${f-14} ${m}, ${f+6} ${m+4}`;return N`<path class="state" d="M ${Ct-d/2} 0 L ${Ct+d/2} 0
      L ${Ct+a/2} ${Lt} L ${Ct-a/2} ${Lt} Z"></path>
    ${p?h:N`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function Su(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:a}=e,c=vu(e),p=c!==void 0&&E(l.view.head)===s,d=()=>{oe(c),Sn(".alignment")},m=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=ku(s),b=u`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${d}
    >${f}</button
  >`;return u`<div class="junction ${p?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${di} ${Lt}" preserveAspectRatio="none" role="img" aria-label=${m}>
      <title>${m}</title>
      ${Tu(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${a?u`<bdi class=${a[0]===o?"strong":""}>${$(a[0])}</bdi
            ><span class="number">${(100*a[1]).toFixed(0)} %</span>`:h}
  </div>`}function hi(e,t){if(l.server.storedPage||ot()||!l.inspection.result?.weights.size)return;Ds(e);let{stream:n}=l.inspection;if(!n)return u`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:p})=>p)),[r]=o,{token:i,position:a}=r?.parts??{},c=u`The first row has two parts: the embedding of the token, ${i?.toFixed(1)} long, and that of
  its position, ${a?.toFixed(1)} long. So the state knows from the first row on where the token stands. (Vectors
  point in different directions, so lengths do not add up.)`;return u`<div class="captions" aria-hidden="true">
      <span>part</span><span class="state-caption">state</span><span class="number length">adds</span
      ><span>would write</span><span class="number">likely</span>
    </div>
    <div class="stream ${n.cell===$e(e)?"":"stale"}" role="list">
      ${o.map((p,d)=>Su(p,{before:o[d-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      From top to bottom, ${v("stream","the state")} of the place above grows: each attention and each feed-forward
      layer adds a vector of the length beside it. The last columns have the token that the output layer would write
      from the state as it is there, and how likely (the ${v("lens","logit lens")}). Before the last layers this is
      a hint only: the state is made for the layers that follow. At the top it is still the token that was read.
      ${a===void 0?"The embedding has no part for the position.":c}
    </p>`}var Ru=5;async function Fe(){tt(),await fi()}async function mi(){let{text:e}=l.request,t=ne(),n=()=>t!==null&&ne()===t&&l.request.text===e&&!l.status.error;await fi();for(let o of t?.edits??[])n()&&await Au(o);t&&n()&&await Pu(t,n),ne()===t&&!l.status.error&&tt(),g({})}async function Au({sentenceIndex:e,edit:t}){if(!l.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=l.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?wi(t.position,t.token,t.prefix):mt(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await G()}async function Pu(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=l.heads;s&&t()&&await we(),r&&t()&&await Qe(),g({heads:{sortBy:i}}),o&&t()&&await Ht(o),n!==null&&T()?.snapshots?.includes(n)&&t()&&await rn(n)}async function fi(){let{text:e,isHtml:t}=l.request;if(Le("inspect"),!R())return;if(!e.trim())return Le("translate"),g(...Kt);if(t)return await Eu(e);await P("translate","Translating",async o=>{let s=Ke(),r={...X(),...s,text:e,alternatives:Ue};await gi(r,o,{decoding:s},i=>{let a=Math.max(0,Math.min(l.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:a}})})})&&k()?.isDone&&await G()}async function Eu(e){await P("translate","Translating",async t=>{let n={...X(),...Ke(),text:e,format:"html"},{text:o}=await L("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},zn)})}async function gi(e,t,n,o){let s=l.request.temperature?{}:{n_best:Math.min(l.request.beamSize,Ru)},r=[];for await(let{name:i,data:a}of $s({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<a.sentences;c++)r.push({...it(),index:c,...n});continue}if(i==="error")throw new z(a.status,a.message);if(i==="token"){let c=r[a.sentence];c.text=a.text,c.tokens.push(...a.tokens??[])}else i==="done"&&Mu(r,a,n.separator);o(r)}}function Mu(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:a,score:c,source:p,ids:d,n_best:m=[]}=r,f=Math.max(t.indexOf(a,s),s),b={text:a,score:c,source:p,ids:d,nBest:m,isDone:!0,separator:o??t.slice(s,f)};ho(Object.assign(e[i],b),r),s=f+a.length})}function bi(){let e=Object.values(l.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var yi=e=>!at(e)||R()&&e===bi();async function Io(e,t){let n=k();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);q(),await Rn(async()=>{t===bi()?await mt({text:Y(o),ids:n.ids.slice(0,e)}):await wi(e,t,Y([...o,t]))})}async function Rn(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),Ye(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function wi(e,t,n){let o=k(),{sentences:s}=l.output,{sentenceIndex:r}=l.view;if(!o?.isDone)return;let{source:i,separator:a}=o,c=Ke(),p={...X(),...c,text:i,prefix:n,split:!1,alternatives:Ue},d={kind:"prefix",position:e,token:t,prefix:n},m={source:i,separator:a,decoding:c,prefix:n,original:o.original??o,edit:d},f=s,b=await P("translate","Decoding again",async w=>{await gi(p,w,m,([S])=>{f=s.with(r,S),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&l.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&k()?.isDone&&await G()}async function Wo(){let{original:e}=k()??{};e&&(q(),await Rn(async()=>{let{sentenceIndex:t,outputPosition:n}=l.view;g({output:{sentences:l.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await G()}))}async function $i(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...X(),text:e.source,...s,alternatives:Ue},i=await L("score",r,o),a={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return ho(a,{...i,tokens:i.tokens.slice(0,-1)}),a}async function Ht(e){let t=k(),{compared:n}=l.output;if(!t||n&&cn(n,e))return g({output:{compared:null}});await P("compare","Reading",async o=>{g({output:{compared:await $i(t,e,o)}})})}async function mt(e){let t=k(),{sentenceIndex:n}=l.view;if(!t)return;await P("translate","Reading",async s=>{let r=await $i(t,e,s),i=Math.max(0,Math.min(l.view.outputPosition,r.tokens.length-1));g({output:{sentences:l.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await G()}var Ti=.55,_u=-3,ft=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,Do=e=>({background:e===null?"":ie("doubt",Ti*Math.min(1,e/_u))});function Si(e,t){let n=l.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&G()}function Ou(e,t,n){let o=l.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||dt(e)||(e.preventDefault(),Si(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function Ri({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function Cu(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=l.view,a=l.view.sentenceIndex===n,c=a&&i===t,p=t===0&&(!a||i>=e.tokens.length),d=Ri(e,r,t);return u`<button
    class="token ${o?"new":""} ${d?"prefix-end":""} ${s}"
    ${A(Do(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||p?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":ft(r.log_prob)}
    title=${d?"written by you":h}
    @click=${()=>Si(n,t)}
    @keydown=${m=>Ou(m,n,t)}
    @pointerenter=${m=>Nu(m,n,t)}
    @pointerleave=${Ai}
    dir="auto"
    >${$(r.token)}</button
  >`}var Lu=200,Hu=280,xi=8,An=0;function Nu(e,t,n){if(e.pointerType==="touch"||(clearTimeout(An),!l.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function Ai(){clearTimeout(An),An=window.setTimeout(()=>{l.view.hoveredToken&&g({view:{hoveredToken:null}})},Lu)}function Pn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=l.view;if(!t)return h;let{sentenceIndex:s,position:r,left:i,bottom:a}=t,c=l.output.sentences[s],p=c?.tokens[r];if(!p||s===n&&r===o)return h;let d=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},m=innerWidth-Hu-xi,f={left:`${Math.max(xi,Math.min(i,m))}px`,top:`${a}px`};return u`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(An)}
    @pointerleave=${Ai}
    ${A(f)}
  >
    ${Pi(c,p,d,-1)}
  </div>`}function Pi(e,t,n,o){let s=(r,i)=>{let a=r===t.token;return u`<button
      class="bar ${a?"own":""}"
      tabindex=${o}
      ?disabled=${a||!e.isDone||!yi(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${A({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${ft(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function En(e){let t=k(),{outputPosition:n}=l.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return h;let s=$(o.token);return u`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${Pi(t,o,r=>void e(n,r),0)}
  </div>`}var Iu=e=>u`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void Wo()}
    >✕</button
  >`,Fo=(e,t)=>t&&e.startsWith("▁")?" ":h;function ki(e,t){let{original:n}=e;if(!n||!e.isDone)return h;let o=u`<button id="take-back" data-unsaved @click=${()=>void Wo()}>Take it back</button>`;return u`<p class="before hint">
    before: <bdi>${Ne(n.text,e.text,"deleted")}</bdi> ${t===l.view.sentenceIndex?o:h}
  </p>`}function vi(e,t,n){if(!t.length)return h;let o=e==="Given"?e:"Written by the model";return u`<div class="run ${e.toLowerCase()}" role="group" aria-label=${o}>
    <span class="run-name" aria-hidden="true">${o}</span>
    <p class="output" dir=${n}>${t}</p>
  </div>`}function gt(e,t){let n=mo(e),o=e.tokens.map(p=>p.token),s=!e.isDone&&l.status.busy.translate,r=o.map((p,d)=>{let m=lt(o,d),f=Cu(e,d,t,n[d],m),y=e.isDone&&Ri(e,e.tokens[d],d)&&t===l.view.sentenceIndex;return u`${Fo(p,d)}${f}${y?Iu(p):h}`}),i=xe(Y(o)),a=`Sentence ${t+1}`,{numGiven:c}=e;if(c){let p=[vi("Given",r.slice(0,c),i),vi("Written",r.slice(c),i)];return u`<div data-sentence=${t}>${p}</div> ${ki(e,t)}`}return u`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${a}>
      ${r}${s?u`<span class="caret"></span>`:h}
    </p>
    ${ki(e,t)}`}function bt(){let e=l.output.sentences.some(s=>mo(s).some(Boolean)),t=k()?.edit?.kind==="prefix",n=u`<span><u class="new">underlined</u>: other than before</span>`,o=u`<span><span class="token prefix-end">framed</span>: written by you</span>`;return u`<p class="legend" id="doubts">
    <span>${v("probability","the model was sure")} ${Z("doubt",Ti)} unsure</span>
    ${e?n:h} ${t?o:h}
  </p>`}function yt(){let e=l.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let a=[n,i,o,s];return r.length?r.map(c=>[...a,...c]):[[...a,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var Wu=900,Ei=0;function Mi(){g({view:{isPlaying:!l.view.isPlaying}}),clearInterval(Ei),l.view.isPlaying&&(Ei=window.setInterval(Du,Wu))}function Du(){let e=(l.inspection.sentence?.tokens.length??1)-1;l.view.outputPosition>=e?Mi():g({view:{outputPosition:l.view.outputPosition+1}})}var Fu=e=>e?`layer ${e-1}`:"embeddings";function Bu(e,t,n){let o=(s,[r,i])=>u`<div class="change" role="listitem">
      <span>${Fu(s)}</span
      ><span class="track"><span ${A({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return u`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${v("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function qu(e,t){return M("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],a)=>[a,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:l.inspection.stream?.result.sublayers??null}))}function Gu(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=l.view,a=typeof r=="number"?u` (<span id="probability">${ft(r)}</span>)`:h,c=e.tokens.map(y=>y.token),p=u`<bdi class="strong">${$(s)}</bdi>${a}`,d=!n&&l.inspection.result.target!==null,m=()=>se(Ro(c,t),"about",a),f=u`${p}; this place is ${se(Ao(c,t))}`,b=d?m():n?f:p;return u`<div class="controls">
    <button id="play" @click=${Mi} aria-label=${i?"Pause":"Play"}
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
      @input=${y=>g({view:{outputPosition:Number(_(y))}})}
    />
    <span>token ${t+1} of ${o+1}: ${b}</span>
  </div>`}function Vu(){let e=t=>{let n=`${H}${t}`,o=()=>{oe(n),Sn(".alignment")};return u`<button aria-pressed=${l.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return u`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${v("flow","through all layers")}:</span>
    ${ye.map(e)}
  </p>`}function _i(){let{sentence:e,result:t,flow:n}=l.inspection;if(!t||!e)return h;let{storedPage:o}=l.server,{lens:s,target:r,token_log_probs:i}=t,a=s.length>0,c=Math.max(0,Math.min(l.view.outputPosition,e.tokens.length-1)),p=r===null&&i.length>0,d=e.tokens[p?c+1:c]?.token,m=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&l.view.head.startsWith(H);return u`<section class="panel layers ${I()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${a?qu(e,s):h}
    </div>
    ${Gu(e,c,p)}
    ${hi(c,d)??(a?Bu(s,c,d):u`<p class="hint">${m}</p>`)}
    ${o?h:Vu()}
    ${f?u`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:h}
  </section>`}var qo=300,wt=120,$t=17,Ni=6,Mn=14,ju=3*Mn+4,Uu=2*Mn+4,Oi=12;function Bo(e){let t=[...l.inspection.result.weights.keys()];return new Set(t.filter(n=>n.startsWith(`${e}.`)).map(E)).size}function Ku(){let e=l.inspection.result.target!==null,t=(o,s)=>{let r=s.filter(([a])=>Bo(a)),i=Math.max(0,...r.map(([a])=>Bo(a)));return Array.from({length:i},(a,c)=>[...r.map(([p,d])=>({site:`${p}.${c}`,label:d})),{site:`${o}.${c}.feed_forward`,label:"feed-forward"}])};if(!e){let o=Bo("decoder")?"decoder":"encoder";return[{name:o,x:(qo-wt)/2,layers:t(o,[[o,"reads the text"]])}]}let n=t("decoder",[["decoder","reads what is written"],["cross","reads the text"]]);return[{name:"encoder",x:2,layers:t("encoder",[["encoder","reads itself"]])},{name:"decoder",x:qo-wt-2,layers:n}]}function Go(e){let{head:t}=l.view;return l.inspection.result.weights.has(t)?E(t)===e:t.startsWith(H)?!1:t.startsWith(V)?t===`${V}${e}`:e.startsWith(`${ve().kind}.`)&&e.split(".").length===2}var Ci=e=>e.length>Oi?`${[...e].slice(0,Oi-1).join("")}…`:e;function Xu({x:e,layers:t},n){let o=n;return t.flatMap(s=>{let r=s.map(i=>({...i,x:e,y:o-=$t}));return o-=Ni,r})}function Li({site:e,label:t,x:n,y:o}){return N`<g class=${Go(e)?"band here":"band"} data-site=${e}>
    <rect x=${n} y=${o} width=${wt} height=${$t-2} rx="3"></rect>
    <text x=${n+wt/2} y=${o+$t/2-1} dy="0.35em">${t}</text>
  </g>`}var Hi=(e,t,n)=>e.map((o,s)=>N`<text class="side" x=${t+wt/2} y=${n+(s+.5)*Mn} dy="0.35em">${o}</text>`);function zu(e,{site:t,x:n,y:o}){let[s,r]=[e.x+wt,e.y+$t/2],i=(s+n)/2,a=o+$t/2-1;return N`<path class=${Go(t)?"reads here":"reads"}
    d="M ${s} ${r} C ${i} ${r}, ${i} ${a}, ${n-6} ${a}"></path>
    <path class=${Go(t)?"tip here":"tip"} d="M ${n-7} ${a-4} l 7 4 l -7 4 Z"></path>`}function Ju(e){let t=Ku(),n=t.map(({layers:d})=>d.flat().length*$t+Math.max(0,d.length-1)*Ni),o=ju+Math.max(...n),[s,r]=t.map(d=>Xu(d,o)),i=ge(e,e.row),a=s.at(-1),c=({name:d,x:m},f)=>{let b=d==="decoder"?i:null,w=r!==void 0&&d==="decoder"?"what is written":"the text",S=b?.read==null?[w]:["has read up to",Ci($(b.read))],O=b?[d,"about to write",Ci($(b.writes??"…"))]:[d],x=f.at(-1)?.y??o;return N`${Hi(S,m,o+2)} ${Hi(O,m,x-4-O.length*Mn)}`},p=r?.filter(d=>d.site.startsWith("cross."))??[];return u`<svg
    id="map"
    viewBox="0 0 ${qo} ${o+Uu}"
    role="img"
    aria-label="The stacks of the model. Lit: ${l.view.head}"
  >
    ${s.map(Li)} ${r?.map(Li)} ${a?p.map(d=>zu(a,d)):h}
    ${t.map((d,m)=>c(d,m?r:s))}
  </svg>`}function Yu(e){let t=ge(e,e.row),n=Number(E(l.view.head).split(".").at(-1)),o=n?`layer ${n-1}`:"the embeddings",s=t?u`the state of the place that is ${se(t)}`:u`the state of <bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,r="Its keys and values come from the encoder: its last layer has a state for each token of the text.",i=`Its keys and values come from the same layer: the states of ${e.kind==="decoder"?"all tokens that were read up to there":"all tokens"}, as they are after ${o}.`;return u`<p id="origins">
    The query of this head comes from ${s}. ${e.kind==="cross"?r:i}
  </p>`}function Ii(){let{result:e}=l.inspection,t=ve();if(!e||!t||e.arch==="rnn")return h;let n=u`<p id="origins">
    What is shown now is no head: it goes through all layers, from the text to what is written.
  </p>`,o=e.weights.has(l.view.head);return u`<section class="panel map ${I()?"stale":""}" aria-labelledby="map-title">
    <div class="head"><h2 id="map-title">Where it stands</h2></div>
    ${Ju(t)} ${o?Yu(t):t.kind==="flow"?n:h}
  </section>`}var Wi=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function Zu({trace:e}){let t=Wi(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,a)=>{let{fate:c,token:p,id:d}=i,m=i.parent===null?t:n[i.parent];if(!m||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?m.path:[...m.path,p],y=f?m.ids:[...m.ids,d],w={...Wi(),id:`${o}.${a}`,step:o+1,token:p,candidate:i,path:b,ids:y};return m.children.push(w),w})}return t}function Vo(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(a=>Vo(a,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var Nt=null;function Di(e,t){if(Nt?.trace===e&&Nt.ids===String(t))return Nt;let n=Zu(e),o=e.trace.length,s=Vo(n,t,o);s||Vo(n,e.sentences[0]?.ids??[],o);let r=[],i=0,a=(p,d,m)=>{let f={node:p,parent:d,x:8+84*m,y:32*(i+1)};r.push(f),p.children.length||(i+=1);let b=[...p.children].sort((y,w)=>Number(w.isOnBestPath)-Number(y.isOnBestPath));for(let y of b)a(y,f,m+1)};a(n,null,0);let c=Math.max(...r.map(p=>p.x))+84;return Nt={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},Nt}function Fi({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Bi({nodes:e},t,n){let o=e.filter(a=>a.x===t.x).sort((a,c)=>a.y-c.y),[s]=e.filter(a=>a.parent===t).sort((a,c)=>a.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var qi=9,Qu={active:"went on",finished:"ended",dropped:"was dropped"};function ep(e){let t=[...$(e)];return t.length>qi?`${t.slice(0,qi-1).join("")}…`:t.join("")}function Gi({path:e,ids:t}){e.length&&(q(),mt({text:Y(e),ids:t}))}async function tp({path:e,ids:t}){await Ht({text:Y(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function np({node:e}){let{fate:t,score:n}=e.candidate,o=Y(e.path),s=String(e.ids)===String(k()?.ids),r=u`<button id="open" @click=${()=>Gi(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void tp(e)}>Compare with the chosen one</button>`;return u`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${Qu[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:h}
  </p>`}function op(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Bi(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var Vi=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function sp(e){return N`<path class="branch ${Vi(e)}" d=${Fi(e)}></path>`}function rp(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:a}=o.candidate;return N`<g class="node ${Vi(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===l.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${a.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Gi(o)}
      @keydown=${c=>op(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${ep(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${a.toFixed(2)}</text>
    <title>${Y(o.path)} (${a.toFixed(3)})</title></g>`}function ip(e,t){let n=e.nodes.slice(1),o=t??n[0];return u`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(sp)} ${n.map(s=>rp(e,s,s===o))}
    </svg>
  </div>`}function ap(e,t,n){if(t)return u`<p class="hint">This is the search for another translation.</p>`;if(n)return h;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return u`<p class="hint" id="unsearched">${o}</p>`}function lp(e,t,n){let o=Di(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===l.search.candidate),r=u`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return u`${ip(o,s)} ${s?np(s):h}
    ${ap(t,n,o.isFound)} ${t.prefix?r:h}
    <p class="hint">
      From left to right, a step for each token; below each token is its score, the log-probability of all up to there.
      The top row is <span class="sign best">${o.isFound?"the chosen hypothesis":"the best hypothesis"}</span>.
      Others <span class="sign dropped">were dropped</span> (of each step, the best two are drawn) or
      <span class="sign finished">ended</span>. Click a token to open its text in the other panels, or to compare it.
    </p>`}function cp(e){return M("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:a,fate:c},p)=>[o+1,p,s,r,i,a,c]))],()=>e)}function ji(){let e=k(),{trace:t}=l.search;if(!l.inspection.result||!e||!R())return h;let n=t!==null&&t.requestKey!==nt(e),o=u`<p class="hint">
    Beam search keeps the ${l.request.beamSize} best beginnings at each step. This draws them, and the best that it
    dropped.
  </p>`;return u`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${v("search","Search")}</h2>
      <button id="search" @click=${()=>void we()}>${t?"Search again":"Show the search"}</button>
      ${t?cp(t):h}
    </div>
    ${t?lp(t,e,n):o}
  </section>`}function Ui(){let e=T()?.snapshots??[];if(!e.length||!R()||!k()?.isDone)return h;let{snapshot:t,result:n}=l.inspection,o=t===null?e.length:e.indexOf(t),s=a=>{let c=e[Number(_(a))];c===void 0?G():rn(c)},r=t===null?"the model itself":u`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=u`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return u`<section class="panel snapshots ${I()?"stale":""}" aria-labelledby="snapshots-title">
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
  </section>`}function Ki(){let e=l.inspection.result,t=k(),{note:n,says:o}=l.server.storedPage;return u`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${M("text",["#text",".stored .output[data-sentence]"],yt,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?u`<p dir="auto" id="says">${o}</p>`:h} ${gt(t,0)}
    ${e.token_log_probs.length?bt():h}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?u`<p class="hint" id="note">${n}</p>`:h}
  </section>`}function Xi(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function up(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function _n(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,a=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...it(),source:t,text:n??t,isDone:!0,tokens:(a?r.slice(0,-1):r).map((p,d)=>({token:p,log_prob:s[d-c]??null,alternatives:[]}))}}async function pp({packed:e,bytes:t,parts:n}){let o=await up(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,a=0;for(let{heads:c,rows:p,keys:d}of n)for(let m of c){let f=a+p*d;i.set(m,{rows:p,keys:d,values:s.subarray(a,f),scale:r-1,forbidden:r}),a=f}return i}async function zi(e){let t=await pp(e),n={...e.inspection,request:{},weights:t},o=_n(n),{text:s}=n;on(),_e({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=l.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var Ji=[20,50,100,200];async function dp(e,t,n){let o={model:T().name,prompt:e,...t,logprobs:Ue,echo:!0},{choices:s,usage:r}=await L("v1/completions",o,n),{text:i,logprobs:a}=s[0];if(!a)throw new Error("The server must send the log-probabilities that were asked for.");let c=a.tokens.map((p,d)=>({token:p.replaceAll(" ","▁"),log_prob:a.token_logprobs[d]??null,alternatives:Object.entries(a.top_logprobs[d]??{}).sort((m,f)=>f[1]-m[1])}));return{text:i,ids:a.token_ids,tokens:c,numGiven:r.prompt_tokens}}function hp({ids:e,numGiven:t},n){let o=e.findIndex((s,r)=>r>=t||s!==n[r]);return o<0?t:o}async function mp(e,t){let{name:n,max_tokens:o}=T(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await L("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function jo(e=null){let{text:t}=l.request,n=e?.prefix??t,o=e&&(k()?.original??k()??null);await P("translate","Writing",async s=>{let{name:r,max_tokens:i}=T(),{temperature:a,seed:c}=l.request,p=Math.min(l.request.maxTokens,await mp(n,s));if(p<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let d={max_tokens:p,temperature:a,seed:c},{text:m,tokens:f,ids:b,numGiven:y}=await dp(n,d,s),w=b.slice(0,i??b.length),S=await Je({model:r,text:m,ids:w},s),O=_n(S).tokens,x={...it(),source:n,text:m,ids:w,decoding:d,original:o,edit:e,isDone:!0,numGiven:o?hp(o,w):Math.min(y,w.length),tokens:O.map((B,ce)=>({...B,alternatives:f[ce]?.alternatives??[]}))},F=Math.max(0,Math.min(e?.position??0,O.length-1));g({output:{sentences:[x],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:F,hoveredToken:null},search:{trace:null}}),Et(S,x)}),l.heads.disabled.length&&!D()&&await te()}async function Uo(e,t){let n=k().tokens.slice(0,e),o=Y([...n.map(s=>s.token).filter(s=>!at(s)),t]);q(),await Rn(()=>jo({kind:"prefix",position:e,token:t,prefix:o}))}async function fp(){let{text:e}=l.request;await P("translate","Reading",async t=>{let n=await Je({model:T().name,text:e},t),o=_n(n),s=n.predicted?.length?await L(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),Et(n,o)}),l.heads.disabled.length&&!D()&&await te()}async function On(){tt(),q(),await It()}async function It(){if(R())return await mi();let e=ne(),{outputPosition:t}=l.view,n=T()?.arch==="decoder";await(n?jo():fp());for(let{edit:o}of e?.edits??[])ne()===e&&o.kind==="prefix"&&n&&await jo(o);if(e?.ranksHeads&&ne()===e&&await Qe(),e&&ne()===e){tt();let o=(k()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function Cn(){let[e]=T()?.examples??[];e&&!l.request.text&&g({request:{text:e},output:{isExample:!0}})}function Yi(e){let t=T();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...l.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),Cn(),Ko(t),l.request.text.trim()&&On()}function Ko(e){let t=T(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==R()||!l.request.text.trim())&&g(...Kt)}var Ln=[0,.5,.8,1,1.3],gp=/^und-und(-x-|$)/;function Hn(){let{modelName:e}=l.request,{models:t}=l.server;if(t.length<2)return u`<span class="hint">${gp.test(e)?h:e}</span>`;let n=o=>u`<option value=${o} ?selected=${o===e}>${o}</option>`;return u`<select id="model" aria-label="Model" @change=${o=>Yi(_(o))}>
    ${t.map(o=>n(Ge(o)))}
  </select>`}function Te(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,p)=>c-p),a=c=>u`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return u`<select id=${e} aria-label=${s} @change=${c=>o(Number(_(c)))}>
    ${i.map(a)}
  </select>`}var Nn=()=>l.status.busy.translate?u`<button @click=${()=>Le("translate")}>Stop</button>`:h;var bp=[0,1,2,5,10,50],yp=1,Xo=e=>g({trial:{sampling:{...l.trial.sampling,...e}}}),Zi=e=>`${(100*e).toFixed(yp)} %`;function Qi(e,t,n,o){let s=r=>{let i=Number(_(r));Xo(e==="next-temperature"?{temperature:i}:{topP:i})};return u`<label
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
  >`}function wp({tokens:e,num_others:t,others:n,others_drawn:o}){let s=(i,a,c)=>u`<tr>
      <td>${i}</td>
      <td class="number">${Zi(a)}</td>
      <td class="number">${Zi(c)}</td>
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
  </table>`}function $p(e){let{temperature:t,topK:n,topP:o}=l.trial.sampling,{beamSize:s}=l.request,[r]=e.tokens,i=u`A ${v("beam-search",`beam of ${s}`)} tries no more than the first ${s} after this
  beginning, and goes on with the best of all its beginnings.`,a=e.num_drawable.toLocaleString("en");return u`<p>
      Greedy search takes <bdi class="strong">${$(r?.token??"")}</bdi>.
      ${R()&&s>1?i:h} Sampling draws one of
      <span class="strong number" id="drawable">${a}</span> tokens:
    </p>
    <div class="controls" data-unsaved>
      ${Qi("next-temperature","temperature",t,2)}
      <label
        >top k
        ${Te("next-top-k",bp,n,c=>Xo({topK:c}),"Top k",c=>c||"all")}</label
      >
      ${Qi("next-top-p","top p",o,1)}
    </div>
    ${wp(e)}
    <p class="hint">
      Temperature divides the logits: below 1, the likeliest are drawn more often. Top k draws from the k likeliest
      alone; top p from the likeliest that together have the probability p. Nothing is written by this: “Options” has
      the sampling of the translation.
    </p>`}var xp=()=>R()?l.view.outputPosition:l.view.outputPosition-1;function In(){let{sentence:e,result:t,next:n}=l.inspection,o=xp();if(!Q()||!t||!e||e!==k()||o<0)return h;let{isOpen:s}=l.trial.sampling,r=s?Fs(o):"",i=s&&n?.cell!==r;return u`<details
    id="next-token"
    ?open=${s}
    @toggle=${a=>Xo({isOpen:a.target.open})}
  >
    <summary>How the next token is chosen</summary>
    <div class=${i?"stale":""}>${n&&s?$p(n.result):h}</div>
  </details>`}var ea=.6,be=()=>T()?.arch==="decoder",kp=({label:e,prob:t})=>u`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${A({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function vp(){let e=l.inspection.result?.predicted,{attribution:t}=l.output;if(!e?.length)return h;let n=T()?.task==="classify"?"the likeliest class":"the chosen token",o=u`<p class="legend">
      <span>${v("moved","moved it")} little ${Z("heat",ea)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return u`<div id="predicted" role="list">${e.map(kp)}</div> ${t?o:h}`}function Tp(){let e=k();if(!e||!l.inspection.result)return h;let{outputPosition:t}=l.view,n=l.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let a=o?.[i]??0;return u`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${a.toFixed(3)}
      ${A({background:o?ie("heat",ea*a):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${$(r)}</button
    >`};return u`<p class="output" id="moved" dir=${xe(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function Sp(){let{text:e,maxTokens:t,temperature:n}=l.request,o=Te("length",Ji,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=Te("temperature",Ln,n,i=>g({request:{temperature:i}}),"Temperature"),r=u`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return u`<div class="controls">
    <button class="primary" @click=${()=>void On()} ?disabled=${!e.trim()&&!be()}
      >${be()?"Continue":"Read"}</button
    >
    ${Nn()} ${be()?r:h}
  </div>`}function Rp(e){let t=["#output","#doubts",".alternatives"];if(be())return M("continuation",t,yt,()=>l.output.sentences);let n=l.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return M("predicted",t,o,()=>({predicted:l.inspection.result?.predicted,tokens:s,moved:l.output.attribution?.shares}))}function Ap(e){return be()?e?gt(e,0):u`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:u`${vp()} ${Tp()}`}function ta(){let e=k(),t=be()&&e!==void 0,n=!!l.status.busy.translate,o=s=>{Tn(s)&&On()};return u`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${Hn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${be()?"Text to continue":"Text to read"}
          placeholder=${be()?"Write how it begins.":"Write or paste a text."}
          .value=${l.request.text}
          @input=${s=>g({request:{text:_(s)}})}
          @keydown=${o}
        ></textarea>
        ${Sp()}
      </div>
      <div>
        <div class="head">
          <h2>${be()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&l.inspection.result?Rp(e):h}
        </div>
        <div class=${j()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${Ap(e)}</div>
          ${t?u`${bt()} ${En(Uo)} ${In()}`:h}
        </div>
        ${t?Pn(Uo):h}
      </div>
    </div>
  </section>`}var na=async()=>{l.heads.disabled.length&&await de([])},Wn=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:pe(),showsComputation:!1}}),await na()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await oe(pe())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await Mp(()=>l.inspection.lookup!==null&&!Pt("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:pe()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>de([pe()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(k()?.tokens.length??1)-1)}}),await na()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:we,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Pp=5e3,Ep=20;async function Mp(e){let t=performance.now()+Pp;for(;!e()&&!l.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,Ep))}function _p(){let{disabled:e,undoStack:t,sortBy:n}=l.heads,{sentences:o,sourceText:s}=l.output;return{view:{...l.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...l.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var Jo=null;async function oa(){let e=T()?.examples?.[0],t=l.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(k()?.isDone&&l.output.sourceText!==""&&!j())||!l.inspection.result||D())&&(t||(q(),g({request:{text:e}})),await Fe(),!k()?.isDone)||(Jo=_p(),await Yo(0))}async function zo(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=Jo,r=o.sourceText===l.output.sourceText,i=l.inspection.sentence===(o.sentences[e.sentenceIndex]??null);Jo=null;let{isPlaying:a}=l.view,{showsComputation:c,groupsWords:p}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:a,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:p}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await G():await te(),r&&e.head.startsWith(H)&&await oe(e.head),Ye(()=>scrollTo({top:s}))}async function Yo(e){let t=Wn[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),Ye(()=>{if(l.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),Cp(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var Op=12;function Cp(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(Op,(s-o)/2)),behavior:Ho()})}function sa(){let e=l.view.tourStop,t=e===null?void 0:Wn[e];if(e===null||!t||!R())return h;let n=e===Wn.length-1,o=r=>{r.key==="Escape"&&zo()},s=u`<button id="tour-back" @click=${()=>void Yo(e-1)}>Back</button>`;return u`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${Wn.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void zo()}>End</button>
      <span>
        ${e?s:h}
        <button id="tour-next" class="primary" @click=${()=>void(n?zo():Yo(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function Lp(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var Zo="Copied.";async function ra(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=Lp(e)}Ss(t?Zo:"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var ia=50,Hp=400;async function aa(e){await P("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let p=0;p<s.length;p+=ia){let d=s.slice(p,p+ia),m={...X(),...Ke(),texts:d,format:o?"html":"text"},{translations:f}=await L("translate",m,t);f.forEach((b,y)=>{let w=p+y+1;if("error"in b)throw new z(Hp,`Line ${w} of ${e.name}: ${b.error.message}`);r.push(b.text)}),Qt("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,a]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${T()?.target??"translated"}${a??".txt"}`;Ie(c,r.join(`
`),o?"text/html":"text/plain")})}var Np=300,Ip=[1,2,3,5,8,12],ua=/<\/?[a-z][^>]*>/i,la=0;function Wp(e){let t=_(e);g({request:{text:t,isHtml:l.request.isHtml&&ua.test(t)},output:{isExample:!1}}),clearTimeout(la),la=window.setTimeout(()=>{st(),l.request.translatesWhileTyping&&Fe()},Np)}function Dn(e){g({request:e}),Fe()}function pa(){q(),Fe()}function Dp(e,t){let{text:n,score:o}=e,s=u`<span class="number">${o.toFixed(3)}</span>`;if(!n)return u`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=l.output,i=r!==null&&cn(e,r),a=()=>{q(),mt(e)},c=u`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void Ht(e)}
    >compare</button
  >`;return u`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${a}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?h:c}
  </li>`}var ca=!1;function Fp(){let e=k();if(!e?.isDone)return h;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(a=>a.text===r)===i);if(n.length<2)return h;let o=n.length-1;return u`<details class="nbest" ?open=${ca} @toggle=${r=>{ca=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${v("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>Dp(r,e))}
    </ol>
  </details>`}function Bp(){let e=k(),{compared:t}=l.output;if(!e?.isDone||!t)return h;let n=({tokens:r})=>r.reduce((i,a)=>i+(a.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},a)=>u`${Fo(r,a)}<span
          class="token ${lt(o,a)}"
          dir="auto"
          title=${ft(i)}
          ${A(Do(i))}
          >${$(r)}</span
        >`);return u`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${xe(t.text)}>${s}</p>
    <p dir="auto">${Ne(t.text,e.text)}</p>
  </div>`}function qp(){return u`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&aa(o),n.value=""}}
  /></label>`}function Gp(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=l.tokenCounts;if(e===null)return h;let s=o===1?"1 sentence is":`${o} sentences are`;return u`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${v("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function Vp(){let{text:e,temperature:t,seed:n,isHtml:o}=l.request,s=u`<button id="again" @click=${()=>Dn({seed:n+1})}>Draw again</button>`,r=u`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>Dn({isHtml:me(i)})}
    />
    as HTML</label
  >`;return u`${t&&e.trim()?s:h} ${ua.test(e)?r:h}`}function jp(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=l.request,s=Te("beam",Ip,n,i=>Dn({beamSize:i,temperature:0}),"Beam"),r=Te("temperature",Ln,o,i=>Dn({temperature:i}),"Sampling",i=>i||"off");return u`<div class="controls">
    <button class="primary" @click=${pa} ?disabled=${!e.trim()}>Translate</button>
    ${Nn()} ${Vp()}
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
        ${qp()} ${Gp()}
      </div>
    </details>
  </div>`}function Up(){let e=T()?.examples??[];if(!(l.output.isExample||!l.request.text)||!e.length)return h;let n=o=>{q(),g({request:{text:o},output:{isExample:!1}}),st(),Fe()};return u`<p class="hint">
    ${l.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===l.request.text?h:u`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function Kp(){let{html:e,sentences:t}=l.output;return e?u`<pre class="html">${e}</pre>`:t.length?t.map(gt):u`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function Xp(){let{html:e,sentences:t}=l.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:a})=>`${i??""}${a}`).join(""),s=()=>M("translation",["#output","#doubts",".alternatives"],yt,()=>t),r=u`<button id="copy" @click=${()=>void ra(o())}
    >${l.status.notice===Zo?"Copied":"Copy"}</button
  >`;return u`${n?r:h} ${t.some(i=>i.isDone)?s():h}`}function zp(){let{sentences:e}=l.output,t=!!l.status.busy.translate,n=j()||t&&e.every(s=>s.isDone),o=u`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return u`<div>
    <div class="head">
      <h2>Translation</h2>
      ${Xp()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${Kp()}</div>
      ${j()&&!t?o:h} ${e.length?bt():h}
      ${En(Io)} ${In()} ${Fp()} ${Bp()}
    </div>
    ${Pn(Io)}
  </div>`}function da(){let e=t=>{Tn(t)&&pa()};return u`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${Hn()}
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
          @input=${Wp}
          @keydown=${e}
        ></textarea>
        ${jp()} ${Up()}
      </div>
      ${zp()}
    </div>
  </section>`}var fa="regard-theme";function Jp(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(fa,o)}catch{}g({})}function Yp(){return u`<form class="key" @submit=${t=>{t.preventDefault(),ws(document.querySelector("#key").value),Qo()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function Zp(){let e=()=>u`${Br()} ${Gr()}
      <div class="column">${pi()} ${br()}</div>
      <div class="stacked">${Ii()} ${Yr()}</div> ${_i()} ${ei()}
      ${ni()} ${Ui()}`;return l.server.storedPage?u`${Ki()}${e()}`:l.server.models.length?R()?u`${da()}${e()}${ji()}`:u`${ta()}${l.inspection.result?e():h}`:h}var Qp=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function ed(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return u`<nav class="skips" aria-label="Go to a part of the page">
    ${Qp.map(([t,n])=>u`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function td(){return l.server.storedPage?"What the heads look at":R()||!l.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function nd(){let e=Object.values(l.status.busy).at(-1),t=u`<button id="tour" @click=${()=>void oa()}>Explain</button>`;return u`<header>
    <h1>Regard</h1>
    <p class="hint">${td()}</p>
    <span class="said" role="status">${l.status.notice}</span
    ><span class="status" role="status">${e?u`<span class="spinner"></span>${e} …`:h}</span>
    ${R()?t:h} ${l.server.storedPage?h:u`<a href="docs">API</a>`}
    <button class="theme" @click=${Jp} aria-label="Light or dark">◐</button>
  </header>`}function od(){let{error:e,needsApiKey:t}=l.status;if(!e)return h;let n=u`<button @click=${()=>void no()}>Try again</button>`;return u`<p class="error" role="alert">${e} ${t?h:n}</p>`}function sd(){return u`${ed()} ${nd()} ${od()}
    <main>${l.status.needsApiKey?Yp():h} ${Zp()}</main>
    ${sa()}`}function Wt(){Os();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(l.status.busy).length>0),hs(sd(),e)}async function Qo(){await Gs(),ga(),Cn(),l.request.text&&l.server.models.length&&(st(),await It())}async function rd(){if(!l.server.models.length||l.status.needsApiKey)return await Qo();(j()||!k()||l.output.sentences.some(t=>!t.isDone))&&!(l.output.html&&!j())?l.request.text.trim()&&(st(),await It()):D()||!l.inspection.result?await G():l.heads.disabled.length&&l.heads.ablatedSentence!==l.inspection.sentence?await te():g({})}function id(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function ad(){try{return localStorage.getItem(fa)}catch{return null}}var ga=()=>{document.body.dataset.ready="yes"};function ld(){let e=T(),t=ao();g(t,ne()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),Cn(),Ko(e),It()}var ha=ad();ha&&(document.documentElement.dataset.theme=ha);Jn(Wt);Jn(Es);addEventListener("resize",Wt);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",Wt);Object.assign(globalThis,{regard:{state:l,matrixLayout:Dr,unmatchedWords:Cs}});var ma=Xi();ma?(id(),zi(ma).then(()=>{Wt(),ga()})):(on(),vs(rd),addEventListener("hashchange",ld),Wt(),Qo());})();
